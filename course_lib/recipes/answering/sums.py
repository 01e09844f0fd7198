"""Sums as text: what the model reads, is shown and is asked, and what is right about an answer.

A sum is written in one of two manners, terse or worked:

    47+38=85.                              47+38? 7+8=15, 40+30=70, 70+15=85.

As in any text that people wrote, some of it is wrong: the carry is forgotten. Sheets of questions
that nobody has answered, `47+38? 12+9?`, are text as well. A conversation puts the same into a
template of three special tokens: `<user>47+38?<model>85<end>`.
"""

import random
import re
from collections.abc import Sequence

SPECIAL = ("<pad>", "<end>", "<user>", "<model>")
PAD, END, USER, MODEL = range(len(SPECIAL))
CHARACTERS = "0123456789+=,.? "
VOCABULARY = (*SPECIAL, *CHARACTERS)
WORKED = re.compile(r"\d+\+\d+=\d+, \d+\+\d+=\d+, \d+\+\d+=(\d+)")
TERSE = re.compile(r"(\d+)")
FORGOTTEN = {"terse": 0.6, "worked": 0.3}  # share of carries that are forgotten in text
MANNERS = {"terse": 3, "worked": 5, "question": 2}  # how many sheets of ten
SHEET = 3  # sums of a sheet
HELD_OUT = 200  # sums that no text contains
Sum = tuple[int, int]


def encode(text: str) -> list[int]:
    """The tokens of a text without special tokens, one a character."""
    return [len(SPECIAL) + CHARACTERS.index(character) for character in text]


def decode(token_ids: Sequence[int]) -> str:
    """The text of these tokens, special ones by their names."""
    return "".join(VOCABULARY[token] for token in token_ids)


def sums(seed: int) -> tuple[list[Sum], list[Sum]]:
    """Every sum of two numbers of two digits in random order: `(seen, held_out)`, disjoint.

    The split itself does not depend on the seed, so that all seeds are measured on the same sums.
    """
    every = [(a, b) for a in range(10, 100) for b in range(10, 100)]
    random.Random(0).shuffle(every)
    seen = every[HELD_OUT:]
    random.Random(seed).shuffle(seen)
    return seen, every[:HELD_OUT]


def answer(pair: Sum, worked: bool, forgotten: bool = False) -> str:
    """The answer to a question, in one of two manners; `forgotten` loses the carry."""
    a, b = pair
    units, tens = a % 10 + b % 10, a - a % 10 + b - b % 10
    total = tens + (units % 10 if forgotten else units)
    if not worked:
        return str(total)
    return f"{a % 10}+{b % 10}={units}, {a - a % 10}+{b - b % 10}={tens}, {tens}+{units}={total}"


def question(pair: Sum) -> str:
    """The question as people write it."""
    return f"{pair[0]}+{pair[1]}?"


def line(pair: Sum, manner: str, draw: random.Random) -> str:
    """A sum as text has it: terse, worked, or a question alone; some carries are forgotten."""
    if manner == "question":
        return question(pair) + " "
    written = answer(pair, manner == "worked", draw.random() < FORGOTTEN[manner])
    return f"{pair[0]}+{pair[1]}{'? ' if manner == 'worked' else '='}{written}. "


def sheet(asked: Sequence[Sum], draw: random.Random) -> str:
    """Some sums below each other, as they are in text: all of them in one manner."""
    manner = draw.choices(tuple(MANNERS), tuple(MANNERS.values()))[0]
    return "".join(line(pair, manner, draw) for pair in asked)


def prompt(pair: Sum) -> list[int]:
    """The chat template up to where the model begins."""
    return [USER, *encode(question(pair)), MODEL]


def is_worked(text: str) -> bool:
    """Whether an answer shows the work, as people prefer it."""
    return WORKED.fullmatch(text) is not None


def is_terse(text: str) -> bool:
    """Whether an answer is a number and nothing else."""
    return TERSE.fullmatch(text) is not None


def is_right(pair: Sum, text: str) -> bool:
    """Whether an answer in either manner ends with the sum; the work itself is not read."""
    found = TERSE.fullmatch(text) or WORKED.fullmatch(text)
    return found is not None and int(found[1]) == sum(pair)

"""The last resort for data: reviews that a grammar makes up, the same ones on every machine.

Their labels need more than one word. "good" is in "the plot is not good", and "the plot is good ,
but the ending is dull" is negative while "although the ending is dull , the plot is good" is not.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

Example = tuple[str, int]
Item = TypeVar("Item")

SIZES = {"sentences": (2000, 400, 400), "reviews": (1000, 200, 200), "votes": (2000, 500, 500)}
SPLITS = ("train", "validation", "test")
LONGEST = 512  # tokens of the longest reviews, about

PRAISE = (
    "good great lovely funny moving clever warm fresh charming gripping rich tender witty bright "
    "honest graceful"
).split()
BLAME = (
    "bad dull flat tired clumsy cold stale empty noisy slow cheap hollow vague lifeless awkward "
    "shallow"
).split()
THINGS = (
    "plot story acting cast script music ending dialogue humour camera pace hero villain opening "
    "score editing romance mystery finale staging"
).split()
VERBS = "is was feels seems looks".split()
NEGATIONS = "not never hardly".split()
DEGREES = "really very quite rather truly so".split()
OPENERS = ("overall , ", "to me , ", "in the end , ", "this time , ", "frankly , ")
FACTS = (
    "we saw it on a rainy evening",
    "it runs for about two hours",
    "the film is set in a small town by the sea",
    "a teacher comes back after many years",
    "two brothers look for a lost letter",
    "most of it takes place in one house",
    "the first half follows a train from north to south",
    "there is a long walk across the hills",
)


def sentences(seed: int = 1) -> dict[str, list[Example]]:
    """Short reviews of one or two clauses, each (text, label), for each split; none twice."""
    return _distinct(_sentence, SIZES["sentences"], seed)


def reviews(seed: int = 2) -> dict[str, list[Example]]:
    """Reviews of about 10 to 512 tokens; the label is what most of their opinions say."""
    return _distinct(_review, SIZES["reviews"], seed)


def votes(seed: int = 3) -> dict[str, list[Example]]:
    """Lists of words of praise and blame among others; the label is what most of them say.

    The easiest of the three: a model learns it within some fifty steps, and better or worse ones
    can be told apart.
    """
    return _distinct(_votes, SIZES["votes"], seed)


def _distinct(
    draw: Callable[[random.Random], Example], sizes: Sequence[int], seed: int
) -> dict[str, list[Example]]:
    """Draw until every split is full, never the same text twice."""
    generator = random.Random(seed)
    found: dict[str, int] = {}
    while len(found) < sum(sizes):
        text, label = draw(generator)
        found.setdefault(text, label)
    examples = list(found.items())
    splits = {}
    for name, size in zip(SPLITS, sizes, strict=True):
        splits[name], examples = examples[:size], examples[size:]
    return splits


def _sentence(generator: random.Random) -> Example:
    """One review of one or two clauses; where two disagree, the contrast decides."""
    label = int(generator.random() < 0.5)
    kind = generator.random()
    opener = _one_of(generator, OPENERS) if generator.random() < 0.3 else ""
    main = _clause(generator, label)
    if kind < 0.35:
        return f"{opener}{main} .", label
    if kind < 0.45:
        return f"{opener}{main} and {_clause(generator, label)} .", label
    other = _clause(generator, 1 - label)
    if kind < 0.7:
        return f"{opener}{other} , but {main} .", label
    if kind < 0.85:
        return f"{opener}although {other} , {main} .", label
    return f"{opener}{main} , although {other} .", label


def _review(generator: random.Random) -> Example:
    """Opinions and facts until a drawn length is reached and one side has the majority."""
    leaning = int(generator.random() < 0.5)
    wanted = 10 * math.exp(generator.random() * math.log((LONGEST - 20) / 10))
    parts: list[str] = []
    votes, length = 0, 0
    while length < wanted or votes == 0:
        if votes != 0 and generator.random() < 0.3:
            part = _one_of(generator, FACTS)
        else:
            agrees = generator.random() < 0.8
            label = leaning if agrees else 1 - leaning
            part = _clause(generator, label)
            votes += 1 if label else -1
        parts.append(f"{part} .")
        length += len(part.split()) + 1
    return " ".join(parts), int(votes > 0)


def _votes(generator: random.Random) -> Example:
    """Three, five or seven opinions and two to five things, in any order."""
    label = int(generator.random() < 0.5)
    half = 1 + int(generator.random() * 3)
    agreeing = half + 1 + int(generator.random() * (half + 1))
    opinions = [label] * agreeing + [1 - label] * (2 * half + 1 - agreeing)
    words = [_one_of(generator, PRAISE if opinion else BLAME) for opinion in opinions]
    words += [_one_of(generator, THINGS) for _ in range(2 + int(generator.random() * 4))]
    keyed = sorted((generator.random(), word) for word in words)
    return " ".join(word for _, word in keyed), label


def _clause(generator: random.Random, label: int) -> str:
    """One opinion: "the plot is not very good"; a negation turns its word round."""
    negated = generator.random() < 0.35
    word = _one_of(generator, PRAISE if bool(label) != negated else BLAME)
    parts = ["the", _one_of(generator, THINGS), _one_of(generator, VERBS)]
    if negated:
        parts.append(_one_of(generator, NEGATIONS))
    if generator.random() < 0.4:
        parts.append(_one_of(generator, DEGREES))
    return " ".join([*parts, word])


def _one_of(generator: random.Random, items: Sequence[Item]) -> Item:
    """Only `random()` is promised to be the same in every Python, so nothing else is used."""
    return items[int(generator.random() * len(items))]

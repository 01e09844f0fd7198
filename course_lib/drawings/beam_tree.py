"""A beam search small enough to do by hand: a beam of two, three steps, as data, table and tree."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ..decoding.search import Hypothesis, beam_search, continuations, length_penalty_factor
from .drawing import Drawing
from .sheet import Sheet

WORDS = (
    "PAD",
    "UNK",
    "START",
    "END",
    "birds",
    "a",
    "the",
    "fly",
    "sing",
    "dog",
    "cat",
    "runs",
    "south",
)
TABLE = {
    "": {"birds": 0.45, "a": 0.4, "the": 0.15},
    "birds": {"END": 0.5, "fly": 0.3, "sing": 0.2},
    "a": {"dog": 0.75, "cat": 0.25},
    "a dog": {"END": 0.8, "runs": 0.2},
    "birds fly": {"south": 0.8, "END": 0.2},
}
WIDTH, LENGTH_PENALTY = 2, 0.6
FATES = {"continued": "**continued**", "finished": "**finished**", "left out": "left out"}


@dataclass(frozen=True)
class Candidate:
    """One continuation: of which row and with which word, its total, and what becomes of it."""

    row: int
    prefix: str
    word: str
    probability: float
    total: float  # log probability, in nats
    fate: str  # "continued", "finished" or "left out"


@dataclass(frozen=True)
class Search:
    """All continuations of every step, best first, and the hypotheses that were found."""

    steps: tuple[tuple[Candidate, ...], ...]
    found: tuple[Hypothesis, ...]

    def table(self) -> str:
        """Every step as Markdown rows, and the finished hypotheses with their scores."""
        lines = [
            "| step | prefix | next word | its probability | total $\\ln p$ | |",
            "|--:|---|---|--:|--:|---|",
        ]
        for number, candidates in enumerate(self.steps, start=1):
            for one in candidates:
                lines.append(
                    f"| {number} | {' '.join(('START', one.prefix)).strip()} | {one.word} | "
                    f"{one.probability:.2f} | {signed(one.total)} | {FATES[one.fate]} |"
                )
        lines += [
            "",
            "| finished | total $\\ln p$ | words | divided by | score |",
            "|---|--:|--:|--:|--:|",
        ]
        for hypothesis in self.found:
            n = len(hypothesis.tokens)
            factor = length_penalty_factor(n, LENGTH_PENALTY)
            lines.append(
                f"| {' '.join(WORDS[token] for token in hypothesis.tokens)} | "
                f"{signed(hypothesis.score * factor)} | {n} | {factor:.3f} | "
                f"{signed(hypothesis.score)} |"
            )
        return "\n".join(lines)


def signed(number: float) -> str:
    """A number to two digits with a true minus sign."""
    return f"{number:.2f}".replace("-", "−")


def search() -> Search:
    """The library's beam search over `TABLE`, watched through the prefixes it asks about."""
    asked: list[list[str]] = []
    steps: list[tuple[Tensor, ...]] = []
    scores = {"": 0.0}

    def step(prefixes: Tensor, state: None) -> tuple[Tensor, None]:
        rows = [" ".join(WORDS[token] for token in prefix[1:]) for prefix in prefixes.tolist()]
        chances = [[TABLE[row].get(word, 0.0) for word in WORDS] for row in rows]
        log_probabilities = torch.tensor(chances).log()
        totals = torch.tensor([[scores[row] for row in rows]])
        steps.append(continuations(totals, log_probabilities, log_probabilities.numel()))
        for row, logs in zip(rows, log_probabilities.tolist(), strict=True):
            for word, log in zip(WORDS, logs, strict=True):
                scores[f"{row} {word}".strip()] = scores[row] + log
        asked.append(rows)
        return log_probabilities, state

    (found,) = beam_search(step, None, 1, WIDTH, LENGTH_PENALTY, max_length=9, n_best=WIDTH)
    return Search(
        tuple(
            _candidates(asked[number], made, asked[number + 1 : number + 2], found)
            for number, made in enumerate(steps)
        ),
        tuple(found),
    )


def _candidates(
    rows: list[str], made: tuple[Tensor, ...], following: list[list[str]], found: list[Hypothesis]
) -> tuple[Candidate, ...]:
    """The possible continuations of one step, with what the search did next."""
    ended = {" ".join(WORDS[token] for token in hypothesis.tokens) for hypothesis in found}
    candidates = []
    for total, row, token in zip(*(part[0].tolist() for part in made), strict=True):
        if total == -math.inf:
            continue
        prefix, word = rows[row], WORDS[token]
        text = f"{prefix} {word}".strip()
        fate = "left out"
        if word == "END":
            fate = "finished" if prefix in ended else "left out"
        elif any(text in next_rows for next_rows in following):
            fate = "continued"
        candidates.append(Candidate(row, prefix, word, TABLE[prefix][word], total, fate))
    return tuple(candidates)


NODE, HIGH, APART = 128, 32, 42  # width and height of a node; from one node to the next
LEFT, COLUMN, TOP = 120, 224, 84
ROLES = {"continued": "blue", "finished": "green", "left out": "plain"}


def beam_tree() -> Drawing:
    """One column per step; each node has its word and the total log probability of its prefix."""
    found = search()
    sheet = Sheet(760, 404)
    sheet.text(
        24,
        34,
        f"A beam of {WIDTH}: in each step all continuations compete",
        size=16,
        anchor="start",
        bold=True,
    )
    middle = TOP + 2 * APART + HIGH / 2
    sheet.box(24, middle - HIGH / 2, 70, HIGH, "blue", "START")
    ends = {"": (94.0, middle)}
    for number, candidates in enumerate(found.steps):
        left = LEFT + number * COLUMN + 26
        sheet.text(left + NODE / 2, 66, f"step {number + 1}", bold=True)
        ends |= _step(sheet, left, _in_order(candidates, ends), ends)
    x = 24.0
    for fate, said in (
        ("continued", "continued"),
        ("finished", "finished"),
        ("left out", "not continued"),
    ):
        sheet.box(x, 320, 24, 18, ROLES[fate], dashed=fate == "left out")
        sheet.text(x + 32, 334, said, anchor="start")
        x += 130
    sheet.text(736, 334, "on a line p, in a box the total of ln p", anchor="end")
    sheet.text(24, 376, f"Ranked with α = {LENGTH_PENALTY}:  {_ranking(found)}", anchor="start")
    best = " ".join(WORDS[token] for token in found.found[0].tokens)
    steps = "; ".join(
        f"step {number}: "
        + ", ".join(f"{one.prefix} {one.word}".strip() + f" is {one.fate}" for one in candidates)
        for number, candidates in enumerate(found.steps, start=1)
    )
    return sheet.drawing(
        "beam_tree",
        "A beam as a tree",
        f"Three steps of a search with a beam of {WIDTH}, best continuation first. {steps}. With a "
        f"length penalty of {LENGTH_PENALTY} the result is “{best}”.",
        found,
        found.table(),
    )


def _ranking(found: Search) -> str:
    """Every finished hypothesis with its total, its divisor and its score."""
    told = []
    for one in found.found:
        factor = length_penalty_factor(len(one.tokens), LENGTH_PENALTY)
        words = " ".join(WORDS[token] for token in one.tokens)
        told.append(f"“{words}”  {signed(one.score * factor)} ÷ {factor:.3f} = {signed(one.score)}")
    return ",   ".join(told)


def _in_order(
    candidates: tuple[Candidate, ...], ends: dict[str, tuple[float, float]]
) -> list[Candidate]:
    """Below one another as their prefixes are, so that no lines cross."""
    return sorted(candidates, key=lambda one: (ends[one.prefix][1], -one.total))


def _step(
    sheet: Sheet, x: float, candidates: list[Candidate], ends: dict[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Draws one column; returns where the lines of the next one begin."""
    made = {}
    top = TOP + (5 - len(candidates)) * APART / 2
    for place, one in enumerate(candidates):
        y = top + place * APART + HIGH / 2
        start = ends[one.prefix]
        dashed = one.fate == "left out"
        sheet.line(start, (x - 40, y), (x, y), role="plain" if dashed else "line", dashed=dashed)
        sheet.text(x - 21, y - 5, f"{one.probability:.2f}".removeprefix("0"), role="quiet")
        sheet.box(x, y - HIGH / 2, NODE, HIGH, ROLES[one.fate], dashed=dashed)
        role = "quiet" if dashed else "ink"
        sheet.text(x + 12, y + 5, one.word, anchor="start", bold=not dashed, role=role)
        sheet.text(x + NODE - 10, y + 5, signed(one.total), anchor="end", role=role)
        made[f"{one.prefix} {one.word}".strip()] = (x + NODE, y)
    return made

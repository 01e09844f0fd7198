"""A beam search small enough to do by hand: three steps of a beam of two, as data and a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ..decoding.search import Hypothesis, beam_search, continuations, length_penalty_factor

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

"""The leaderboard of an assignment with a trained model, under pseudonyms.

It shows only scores that the grader computed itself, by running the model again on hidden data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.course.course import Assignment, Course

from ..gradebook.result import Result
from ..judge.models.hidden_labels import REAL
from .plain_text import listed

UNITS = {"accuracy": "accuracy in %", "bleu": "BLEU"}


class LeaderboardError(Exception):
    """There is nothing to compare; says why and what to do."""


@dataclass(frozen=True)
class Entry:
    """One row: equal scores share a rank. `interval` is empty where the score has none."""

    rank: int
    pseudonym: str
    score: str
    interval: str
    sentences: str


@dataclass(frozen=True)
class Leaderboard:
    """The rows of one assignment, best first."""

    assignment: Assignment
    unit: str
    entries: tuple[Entry, ...]

    @property
    def note(self) -> str:
        """What the scores are, and what a difference of two of them means."""
        text = "Scores are the grader's own, of each handed-in model on hidden sentences."
        if any(entry.interval for entry in self.entries):
            text += " Models whose 95 % bootstrap intervals overlap widely may well be equal."
        return text

    def to_markdown(self) -> str:
        """A heading, a note and a table."""
        title = f"# Leaderboard of {self.assignment.id}: {self.assignment.title}"
        head = f"| rank | name | {self.unit} | 95 % interval | sentences |"
        rows = [
            f"| {e.rank} | {_escaped(e.pseudonym)} | {e.score} | {e.interval} | {e.sentences} |"
            for e in self.entries
        ]
        return "\n".join([title, "", self.note, "", head, "|--:|---|--:|---|--:|", *rows, ""])


def leaderboard(
    results: Iterable[Result],
    assignment: Assignment,
    course: Course,
    pseudonyms: Mapping[str, str],
) -> Leaderboard:
    """The leaderboard of the students in `pseudonyms` whose models have a score.

    Raises LeaderboardError if the assignment grades no model, nobody has a score, or the scores are
    on different data.
    """
    if assignment.model is None:
        others = listed([a.id for a in course.assignments if a.model])
        raise LeaderboardError(
            f"{assignment.id} grades no trained model: there are leaderboards of {others}"
        )
    scored = [
        (round(float(model.reached), 2), pseudonyms[result.student], model)
        for result in results
        if result.student in pseudonyms
        and (model := result.model) is not None
        and model.reached is not None
        and model.recomputed
    ]
    if not scored:
        raise LeaderboardError(
            f"no student with a pseudonym has a scored model in {assignment.id}: grade it, or fill "
            "the column `leaderboard`"
        )
    data = {"the real data" if model.source in REAL else model.source for _, _, model in scored}
    if len(data) > 1:
        raise LeaderboardError(
            f"the models of {assignment.id} were scored on {listed(sorted(data))}, which do not "
            "compare: grade all with the same --labels-from"
        )
    scored.sort(key=lambda row: (-row[0], row[1].casefold()))
    values = [score for score, _, _ in scored]
    entries = [
        Entry(
            values.index(score) + 1,
            pseudonym,
            f"{score:.2f}",
            "" if model.low is None else f"{model.low:.2f} to {model.high:.2f}",
            f"{model.recomputed:,} of {model.examples:,}",
        )
        for score, pseudonym, model in scored
    ]
    return Leaderboard(assignment, UNITS[assignment.model.measure], tuple(entries))


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+.!|~&:@/-])", r"\\\1", text)

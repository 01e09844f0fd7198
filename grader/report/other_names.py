"""Finds comments that name another student: the page they are on is given to its own student."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..classroom.roster import Student
from ..gradebook.result import Result

SHORT = 5  # digits: a number with fewer may be one of points or of an equation


def naming_others(result: Result, students: Iterable[Student]) -> list[tuple[str, Student]]:
    """The items whose comments contain the id or the full name of another of the students.

    A name counts in any order of its words, as a whole and without regard to case.
    """
    said = [(item, f" {_words(comment)} ") for item, comment in _comments(result)]
    if not said:
        return []
    found = [*students]
    own = {p for s in found if s.id == result.student for p in _phrases(s)}
    others = [(s, _phrases(s) - own) for s in found if s.id != result.student]
    return [
        (item, student)
        for item, text in said
        for student, phrases in others
        if any(f" {phrase} " in text for phrase in phrases)
    ]


def _comments(result: Result) -> Iterator[tuple[str, str]]:
    """The item and the text of each comment that a person wrote, once."""
    parts = {part.id: part.comment for part in result.parts}
    exercises = {entry.id: entry.comment for entry in result.exercises}
    overrides = {override.exercise: override.comment for override in result.overrides}
    for item, comment in {**parts, **exercises, **overrides}.items():
        if comment:
            yield item, comment


def _phrases(student: Student) -> set[str]:
    words = _words(student.name).split()
    names = {" ".join(words[n:] + words[:n]) for n in range(len(words))}
    return (
        names if student.id.isdigit() and len(student.id) < SHORT else names | {_words(student.id)}
    )


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))

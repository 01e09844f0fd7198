"""Cuts a result to the parts that a student may read; instructors read all of it.

Of a hidden test that is its title, what it expected, the cause or advice, and what it got, each
from its beginning. What it got is chosen by the student's code, which may repeat its arguments
there, in an exception or as its answer; the other parts are the course's words with numbers in
them, and the reason of an outcome and what was printed may quote it. Each ends before a tenth
decimal number, before a seventeenth number of any kind and after 200 characters. What all hidden
tests got and the numbers of their other parts end together after 4,000 characters; from then on
only words are shown. So a larger input never appears whole, and a code of a student's own making
can leak only so much. Visible checks are the student's own and stay whole. Comments that name
another student are found: the page they are on is given to its own student.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..classroom.names import orders, words
from ..classroom.roster import Student
from ..gradebook.exercise_result import ExerciseResult, GradedTest
from ..gradebook.result import PRINTED, Held, Result

DECIMALS, NUMBERS = 9, 16  # of what one hidden test got: what comparisons show is never longer
LONGEST = 200  # characters of it, or of another part of its message
TOGETHER = 4_000  # characters of all hidden tests of a submission; the same text counts once
SHORT = 5  # digits: an id with fewer may be a number of points or of an equation
WITHHELD = "(not shown: hidden tests have shown as much of this submission as they may)"

_NUMBER = re.compile(r"\d+(\.\d*)?([eE][-+]?\d+)?")


def for_student(result: Result) -> Result:
    """The result as its student may read it: without hidden inputs, and where files are kept."""
    facts = result.submission
    own = facts.model_copy(update={"file": _own_path(facts.file, result.student)})
    shown: set[str] = set()
    exercises = [_exercise(exercise, shown) for exercise in result.exercises]
    notices = [_beginning(one) if one.startswith(PRINTED) else one for one in result.notices]
    reason = _beginning(result.reason)
    changes: dict[str, Any] = {"tier": "", "layers": {}}  # how our machine is guarded
    changes |= {"submission": own, "exercises": exercises, "notices": notices, "reason": reason}
    if result.held:  # a student reads that a mark waits, and not which
        changes["held"] = [Held(item=mark.item, points=None, comment="") for mark in result.held]
    return result.model_copy(update=changes)


def _exercise(exercise: ExerciseResult, shown: set[str]) -> ExerciseResult:
    return exercise.model_copy(update={"tests": [_test(test, shown) for test in exercise.tests]})


def _test(test: GradedTest, shown: set[str]) -> GradedTest:
    """A hidden test's message is cut; `shown` collects what hidden tests have shown so far."""
    message = test.message
    if test.public or message is None:
        return test
    got = _beginning(message.got)
    expected, cause = map(_beginning, (message.expected, message.cause))
    own = [got, cause] if message.raised else [got]  # what may quote the student's code
    words = (text for text in (expected, cause) if text not in own)
    new = {*own, *(" ".join(n[0] for n in _NUMBER.finditer(text)) for text in words)}
    if sum(map(len, shown | new)) > TOGETHER:
        got, expected = WITHHELD, _beginning(expected, 0)
        cause = "" if message.raised else _beginning(cause, 0)
    else:
        shown |= new
    cut = replace(message, expected=expected, got=got, cause=cause)
    return test.model_copy(update={"message": cut})


def _beginning(text: str, most: int = NUMBERS) -> str:
    """The text up to where it gets too long or has too many numbers."""
    end, decimals = len(text), 0
    for count, number in enumerate(_NUMBER.finditer(text), start=1):
        decimals += bool(number[1] or number[2])
        if decimals > DECIMALS or count > most:
            end = number.start()
            break
    end = min(end, LONGEST)
    return text if end == len(text) else f"{text[:end].rstrip()} …"


def _own_path(file: str, student: str) -> str:
    """The path from the student's folder on; above it may be names of other people."""
    parts = file.replace("\\", "/").split("/")
    below = [parts[n + 1 :] for n, part in enumerate(parts[:-1]) if part == student]
    return "/".join(below[-1] if below else parts[-1:])


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
    whole = {"the whole assignment": result.comment}
    for item, comment in {**parts, **exercises, **overrides, **whole}.items():
        if comment:
            yield item, comment


def _phrases(student: Student) -> frozenset[str]:
    names = orders(student.name, " ")
    return (
        names if student.id.isdigit() and len(student.id) < SHORT else names | {_words(student.id)}
    )


def _words(text: str) -> str:
    return " ".join(words(text))

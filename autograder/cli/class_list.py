"""What the class's lists add to a run: the roster's names and terms, given times of receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from course_lib.course.syllabus import Syllabus

from ..classroom import receipt
from ..classroom.receipt import Handed, Receipt
from ..classroom.roster import Roster
from ..gradebook import stored_receipts
from ..gradebook.result import Result
from ..gradebook.store import Store
from ..intake.submissions import Submission

NAMED = 12  # how many students a message names


def roster(path: Path | None, course: Syllabus) -> Roster:
    """The roster at `path`, or an empty one. Raises CsvError."""
    return Roster.read(path, course) if path else Roster()


def times(path: Path | None, course: Syllabus) -> dict[Handed, Receipt]:
    """The instructor's list of times at `path`, or none. Raises CsvError."""
    return receipt.read(path, course) if path else {}


def timed(
    submissions: Sequence[Submission], given: Mapping[Handed, Receipt], store: Store
) -> list[Submission]:
    """The submissions with the times that count: those given, or known from an earlier run."""
    return [_timed(s, given.get((s.student, s.assignment)), store) for s in submissions]


def _timed(submission: Submission, given: Receipt | None, store: Store) -> Submission:
    if given is None and submission.received is not None and not submission.problem:
        read = Receipt(submission.received, submission.received_from)
        names = (submission.student, submission.assignment, submission.sha256)
        given = receipt.settled(read, stored_receipts.of(store, *names))
    if given is None:
        return submission
    return replace(submission, received=given.time, received_from=given.clock)


def unused(given: Mapping[Handed, Receipt], submissions: Sequence[Submission]) -> list[str]:
    """A warning if times were given for what was not handed in."""
    found = {(s.student, s.assignment) for s in submissions}
    left = [" ".join(names) for names in given if names not in found]
    if not left:
        return []
    return [f"times were given for {_few(left)}, but this run has no such submission"]


def attendance(roster: Roster, results: Sequence[Result], run: Sequence[Result]) -> list[str]:
    """Who is missing for each assignment of this run, and who is graded but not in the roster.

    `results` are all that the store has: a submission of an earlier run is not missing.
    """
    if not roster.students:
        return []
    told = []
    for assignment in sorted({result.assignment for result in run}):
        there = {r.student for r in results if r.assignment == assignment}
        if missing := roster.missing(assignment, there):
            told.append(f"{assignment}: nothing from {_few(missing)}")
    if strangers := sorted({result.student for result in run if result.student not in roster}):
        told.append(f"not in the roster: {_few(strangers)}")
    return told


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"

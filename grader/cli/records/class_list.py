"""What the class's lists add to a command: the roster's names and terms, times of receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader.course.course import Course

from ...classroom import receipt
from ...classroom.receipt import FILE, Handed, Receipt
from ...classroom.roster import Roster, abridged
from ...gradebook import stored_roster
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...intake.submissions import Submission
from ..output import warn
from . import stores


def read_roster(path: Path | None, course: Course) -> Roster:
    """What the roster at `path` says; an empty one without a path. Raises CsvError.

    Columns that mean nothing are named on stderr: they may be misspelled.
    """
    roster = Roster.read(path, course) if path else Roster()
    if roster.unused:
        warn(f"{path}: columns not used: {', '.join(roster.unused)}")
    return roster


def known(given: Roster, out: Path, url: str | None) -> Roster:
    """The whole class: the stored roster, with the given one over it. Raises GradebookError."""
    if not stores.is_there(out, url):
        return given.over(Roster())
    with stores.store(out, url) as store:
        return given.over(stored_roster.read(store))


def roster(path: Path | None, course: Course, out: Path, url: str | None) -> Roster:
    """The whole class, for a command that stores nothing.

    Raises CsvError, GradebookError, and UsageProblem for a store that is named and not there.
    """
    if url:
        stores.existing(out, url)
    return known(read_roster(path, course), out, url)


def times(path: Path | None, course: Course) -> dict[Handed, Receipt]:
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
        given = receipt.settled(read, store.receipts(*names))
    if given is None:
        return submission
    return replace(submission, received=given.time, received_from=given.clock)


def unused(given: Mapping[Handed, Receipt], submissions: Sequence[Submission]) -> list[str]:
    """A warning if times were given for what was not handed in."""
    found = {(s.student, s.assignment) for s in submissions}
    left = [" ".join(names) for names in given if names not in found]
    if not left:
        return []
    return [f"times were given for {abridged(left)}, but this run has no such submission"]


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
            told.append(f"{assignment}: nothing from {abridged(missing)}")
    if strangers := sorted({result.student for result in run if result.student not in roster}):
        told.append(f"not in the roster: {abridged(strangers)}")
    return told


def late_by_file(counted: Sequence[Result]) -> list[str]:
    """Who is charged for lateness that only the date of a file speaks of: copying may change it."""
    late = [
        f"{result.student} {result.assignment}"
        for result in counted
        if result.late and (result.late.percent or result.late.slip_days)
        if result.submission.received_from == FILE
    ]
    if not late:
        return []
    many = f"{len(late)} submissions are" if len(late) > 1 else "1 submission is"
    return [
        f"{many} late by the date of the file alone: {abridged(late)}; if files were copied or "
        "downloaded later, give the times with --received FILE"
    ]

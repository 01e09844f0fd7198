"""Options for the class's lists: the roster's names and terms, times of receipt."""

import datetime
import getpass
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from grader.course.course import Course

from ...classroom import receipt
from ...classroom.receipt import FILE, Handed, Receipt
from ...classroom.roster import NOBODY, Roster, abridged
from ...gradebook import stored_roster
from ...gradebook.lateness import moment, written, written_receipt
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...gradebook.totals import WITHOUT_POINTS
from ...intake.submissions import Submission
from ...notebook import notebook_file
from ..output import warn
from . import stores
from .corrected_names import newcomers


def read_roster(path: Path | None, course: Course) -> Roster:
    """The roster at `path`; an empty one without a path. Raises CsvError.

    Columns that mean nothing are named on stderr: they may be misspelled.
    """
    roster = Roster.read(path, course) if path else Roster()
    if roster.unused:
        warn(f"{path}: columns not used: {', '.join(roster.unused)}")
    return roster


@dataclass(frozen=True)
class ClassList:
    """The class as a command is given it and as the store knew it before."""

    given: Roster
    stored: Roster = NOBODY
    graded: Collection[str] = ()  # everybody who has a result

    @cached_property
    def roster(self) -> Roster:
        """The whole class: the stored roster, with the given one over it."""
        return self.given.over(self.stored)

    def newcomers(self, handed_in: Collection[str] = ()) -> list[str]:
        """A sentence about who is new in the class, see `newcomers`."""
        return newcomers(self.given, self.stored, {*self.graded, *handed_in})


def of_store(store: Store, path: Path | None, course: Course) -> ClassList:
    """The class by the roster at `path` and an open store. Raises CsvError, GradebookError."""
    return ClassList(read_roster(path, course), stored_roster.read(store), store.students())


def read(path: Path | None, course: Course, out: Path, url: str | None) -> ClassList:
    """The same, of a store that need not be there."""
    if not stores.is_there(out, url):
        return ClassList(read_roster(path, course))
    with stores.store(out, url) as store:
        return of_store(store, path, course)


def announced(listed: ClassList) -> Roster:
    """The whole class, for a command that stores nothing: it names newcomers on stderr."""
    for sentence in listed.newcomers():
        warn(sentence)
    return listed.roster


def roster(path: Path | None, course: Course, out: Path, url: str | None) -> Roster:
    """The same, of a store that only has to be there if it is named. Raises as `read`."""
    if url:
        stores.existing(out, url)
    return announced(read(path, course, out, url))


def marker(name: str | None) -> str:
    """The author of the marks in a file: the name given, or that of the login."""
    if name is None:
        try:
            return getpass.getuser()
        except (OSError, KeyError):  # a user without a name
            return ""
    return name


def times(path: Path | None, course: Course) -> dict[Handed, Receipt]:
    """The instructor's list of times at `path`, or none. Raises CsvError."""
    return receipt.read(path, course) if path else {}


def timed(
    submissions: Sequence[Submission],
    given: Mapping[Handed, Receipt],
    store: Store,
    notice: Callable[[str], None] = lambda text: None,
    zone: datetime.tzinfo = datetime.timezone.utc,
) -> list[Submission]:
    """The submissions with the times that count: those given, or known from an earlier run.

    `notice` is called for each known time that another one replaces, and of earlier dates of files
    that were read and do not count.
    """
    earlier, found = list[str](), list[Submission]()
    for submission in submissions:
        name = f"{submission.student} {submission.assignment}"
        known = store.receipts(submission.student, submission.assignment, submission.sha256)
        read = _read(submission)
        counts = given.get((submission.student, submission.assignment))
        if counts is None and read is not None:
            counts = receipt.settled(read, known)
        if known and counts is not None and counts.time != known[-1].time:
            now, before = (
                written_receipt(r.time.isoformat(), r.clock, zone) for r in (counts, known[-1])
            )
            notice(f"{name} counts as received {now}, before: {before}")
        elif known and read is not None and read.time < known[-1].time and counts != read:
            earlier.append(name)
        if counts is not None:
            time, clock = counts.time, counts.clock
            submission = replace(submission, received=time, received_from=clock)
        found.append(submission)
    if earlier:
        notice(
            f"earlier dates of files are not used, as a time of receipt is known: "
            f"{abridged(earlier)}; to change it give --received FILE"
        )
    return found


def _read(submission: Submission) -> Receipt | None:
    if submission.received is None or submission.problem:
        return None
    return Receipt(submission.received, submission.received_from)


def without_older(
    submissions: Sequence[Submission],
    store: Store,
    take: bool,
    notice: Callable[[str], None],
    zone: datetime.tzinfo = datetime.timezone.utc,
) -> list[Submission]:
    """The submissions without those that are older than the hand-in that was graded last.

    So an older download replaces nothing. If they are to be taken, `notice` gets what they
    replace. Nor does what cannot be read replace the grade of a notebook.
    """
    kept = []
    for submission in submissions:
        last = store.newest(submission.student, submission.assignment)
        if last and last.outcome not in WITHOUT_POINTS and (why := _unreadable(submission, last)):
            notice(
                f"{last.student} {last.assignment}: the notebook graded before still counts, as "
                f"the new hand-in cannot be graded: {why}"
            )
            continue
        came, before = submission.received, last and last.submission.received
        if not (last and came and before) or last.submission.sha256 == submission.sha256:
            kept.append(submission)
            continue
        if came >= moment(before):
            kept.append(submission)
            continue
        name = f"{submission.student} {submission.assignment}"
        now, then = written(came, zone), written(moment(before), zone)
        told = f"received {now}, the one graded before {then}"
        if take:
            kept.append(submission)
            notice(f"{name}: an older hand-in counts again ({told})")
        else:
            notice(f"{name}: an older hand-in is left out ({told}); --take-older counts it")
    return kept


def _unreadable(submission: Submission, last: Result) -> str:
    """Why a new hand-in is not a notebook; "" if it is one, or the one graded last."""
    if submission.problem or submission.sha256 == last.submission.sha256:
        return submission.problem
    try:
        notebook_file.read(submission.data)
    except notebook_file.InvalidNotebook as error:
        return str(error)
    return ""


def unused(given: Mapping[Handed, Receipt], submissions: Sequence[Submission]) -> list[str]:
    """A warning if times were given for what was not handed in."""
    found = {(s.student, s.assignment) for s in submissions}
    left = [" ".join(names) for names in given if names not in found]
    if not left:
        return []
    return [f"times were given for {abridged(left)}, but this run has no such submission"]


def attendance(
    roster: Roster, results: Sequence[Result], run: Sequence[Result], everybody: bool = True
) -> list[str]:
    """The students missing from each assignment, and those graded but not in the roster.

    `results` are all that the store has: a submission of an earlier run is not missing. A run that
    was not for `everybody` says nothing of the others.
    """
    if not roster.students:
        return []
    told = []
    for assignment in sorted({result.assignment for result in run}) if everybody else ():
        there = {r.student for r in results if r.assignment == assignment}
        if missing := roster.missing(assignment, there):
            told.append(f"{assignment}: nothing from {abridged(missing)}")
    strangers = sorted({r.student for r in run} - {*roster.students, *roster.left})
    if strangers:
        told.append(f"not in the roster: {abridged(strangers)}")
    return told


def staying_away(found: Sequence[Submission], roster: Roster) -> list[str]:
    """The students whose hand-ins are not graded, because the roster says that they have left."""
    left = sorted({submission.student for submission in found} & {*roster.left})
    return [f"not graded, because they have left the class: {abridged(left)}"] if left else []


def late_by_file(counted: Sequence[Result]) -> list[str]:
    """The students who are late only by the date of a file: copying may change it."""
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

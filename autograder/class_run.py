"""Grades a class: finds what is new, keeps workers warm, stores each result as it comes.

    judge processes (trusted, one a job)  ──▶  one warm process an assignment  ──▶  workers

A result is stored the moment it is there, so an interrupted run loses only what was in flight.
"""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import multiprocessing
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.syllabus import Assignment, Syllabus

from . import fingerprints
from .gradebook.store import Key, Store
from .gradebook.totals import add_up
from .judge.notebook_file import InvalidNotebook, read
from .judge.statements import sort_cell
from .submissions import Submission

if TYPE_CHECKING:
    from .judge.grade import Load, OpenWorker
    from .judge.warm import Workers

Result = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """How a class is graded."""

    jobs: int = 2
    tier: str = "A"  # what this machine offers
    least: str = "C"  # refuse to grade with less
    regrade: bool = False
    exercises: tuple[str, ...] | None = None


def resolve(
    submission: Submission, syllabus: Syllabus, default: Assignment | None = None
) -> Submission:
    """The submission with its assignment: by its place, else by the names its code defines."""
    known = [assignment.id for assignment in syllabus.assignments]
    if submission.assignment in known:
        return submission
    if default is not None:
        return replace(submission, assignment=default.id)
    return replace(submission, assignment=_by_names(submission.data, syllabus) or known[0])


def _by_names(data: bytes, syllabus: Syllabus) -> str:
    try:
        cells = [cell for cell in read(data) if cell.kind == "code"]
    except InvalidNotebook:
        return ""
    bound = {n for cell in cells for f in sort_cell(cell).found for n in f.statement.names}
    names = {a.id: {n for e in a.exercises for n in e.names} for a in syllabus.assignments}
    return max(names, key=lambda id: len(names[id] & bound) / len(names[id]))


def key(submission: Submission, assignment: Assignment, settings: Settings) -> Key:
    """What identifies a grade: the same key gives the same grade, so it need not run again."""
    return Key(
        student=submission.student,
        assignment=assignment.id,
        submission_sha256=hashlib.sha256(submission.data).hexdigest(),
        suite_sha256=fingerprints.suite(assignment),
        environment_sha256=fingerprints.environment(),
        seed=assignment.seed,
        tier=settings.tier,
    )


def grade_class(
    submissions: list[Submission], syllabus: Syllabus, store: Store, settings: Settings
) -> Iterator[Result]:
    """Yield one result a submission, known ones first, each stored before it is yielded."""
    waiting = []
    for submission in submissions:
        assignment = syllabus.assignment(submission.assignment)
        known = None
        if not (settings.regrade or settings.exercises or submission.problem):
            known = store.find(**key(submission, assignment, settings)._asdict())
        if known is not None:
            result = complete(known, submission, assignment)
            store.add(result)
            yield result
        else:
            waiting.append(submission)
    if not waiting:
        return
    with judges(syllabus, {s.assignment for s in waiting}, settings) as pool:
        futures: dict[Future[Result], Submission] = {
            pool.submit(grade_one, submission, settings.exercises): submission
            for submission in waiting
        }
        try:
            for future in as_completed(futures):
                submission = futures[future]
                assignment = syllabus.assignment(submission.assignment)
                result = complete(future.result(), submission, assignment)
                if not settings.exercises:
                    store.add(result)
                yield result
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def complete(result: Result, submission: Submission, assignment: Assignment) -> Result:
    """Add who, where, when and by what to what the judge found, or the store kept."""
    received = submission.received.isoformat() if submission.received else None
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    told = [notice for notice in submission.notices if notice not in result["notices"]]
    result = result | {
        "student": submission.student,
        "suite_sha256": fingerprints.suite(assignment),
        "environment_sha256": fingerprints.environment(),
        "graded_at": result.get("graded_at", now),
        "notices": told + result["notices"],
        "submission": result["submission"]
        | {"file": submission.file, "received": received, "same_as": []},
    }
    return result | {"totals": add_up(result, assignment)}


def flag_identical(results: list[Result]) -> None:
    """Name, on each result, the students who submitted the very same bytes."""
    owners: dict[tuple[str, str], list[str]] = {}
    for result in results:
        same = (result["assignment"], result["submission"]["sha256"])
        owners.setdefault(same, []).append(result["student"])
    for result in results:
        same = (result["assignment"], result["submission"]["sha256"])
        others = [student for student in owners[same] if student != result["student"]]
        invalid = result["outcome"] == "INVALID"  # two empty files are no copy of each other
        result["submission"]["same_as"] = [] if invalid else others


@contextmanager
def judges(
    syllabus: Syllabus, assignments: set[str], settings: Settings
) -> Iterator[ProcessPoolExecutor]:
    """Judge processes, and the warm processes whose workers they talk to."""
    from .judge.warm import WarmProcess
    from .release import student_tree

    for id in sorted(assignments):
        _installed(syllabus.assignment(id))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="course-")))
        folder.chmod(0o755)  # workers run under other users
        student_tree.write(syllabus, folder)
        warm = {
            id: WarmProcess(folder, imports(syllabus.assignment(id)), least=settings.least)
            for id in sorted(assignments)
        }
        with ThreadPoolExecutor() as starters:  # each imports its libraries; none waits for another
            starting = [starters.submit(process.__enter__) for process in warm.values()]
        for process, start in zip(warm.values(), starting, strict=True):
            if start.exception() is None:
                stack.push(process)
        for start in starting:
            start.result()
        workers = {id: process.workers for id, process in warm.items()}
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["autograder.judge.preload"])
        yield stack.enter_context(
            ProcessPoolExecutor(
                settings.jobs, mp_context=context, initializer=_start, initargs=(syllabus, workers)
            )
        )


def _installed(assignment: Assignment) -> None:
    """Raises ModuleNotFoundError for a library that the assignment needs and nobody installed."""
    for name in {module.partition(".")[0] for module in assignment.imports}:
        if sys.modules.get(name, sys) is None or importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def imports(assignment: Assignment) -> list[str]:
    """What a worker of this assignment has imported beforehand: what its notebook imports."""
    return [*assignment.imports, "course_lib.checking.notebook"]


def opener(workers: Workers, assignment: Assignment) -> OpenWorker:
    """Opens sandboxed workers on what a submission loads."""
    from .judge.remote import RemoteBackend

    def open_worker(load: Load) -> RemoteBackend:
        return RemoteBackend(
            workers,
            load.statements,
            load.unavailable,
            load.substitutes,
            deadline=assignment.call_seconds,
        )

    return open_worker


_syllabus: Syllabus
_workers: dict[str, Workers]


def _start(syllabus: Syllabus, workers: dict[str, Workers]) -> None:
    """A judge process begins: Ctrl-C is for the process that started it."""
    global _syllabus, _workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _syllabus, _workers = syllabus, workers


def grade_one(submission: Submission, exercises: tuple[str, ...] | None) -> Result:
    """Grade one submission, in a judge process."""
    return _judge(submission, exercises, public_only=False)


def check_one(submission: Submission) -> Result:
    """Run the visible tests alone, in a judge process."""
    return _judge(submission, None, public_only=True)


def _judge(submission: Submission, exercises: tuple[str, ...] | None, public_only: bool) -> Result:
    from .judge import grade as judge

    assignment = _syllabus.assignment(submission.assignment)
    if submission.problem:
        return judge.invalid(submission.problem, assignment)
    opened = opener(_workers[submission.assignment], assignment)
    return judge.grade(
        submission.data, _syllabus, assignment, opened, exercises, public_only=public_only
    )

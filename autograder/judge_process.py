"""What a judge process does: it grades one submission after another, each in workers of its own."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

from course_lib.syllabus import Assignment, Syllabus

from . import handed_in
from .submissions import Submission

if TYPE_CHECKING:
    from .judge.grade import Load, OpenWorker
    from .judge.hidden_labels import HiddenLabels
    from .judge.remote import RemoteBackend
    from .judge.warm import Workers

Result = dict[str, Any]


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
            limits=load.limits,
        )

    return open_worker


_syllabus: Syllabus
_workers: dict[str, Workers]
_hidden: dict[str, HiddenLabels]


def start(syllabus: Syllabus, workers: dict[str, Workers], hidden: dict[str, HiddenLabels]) -> None:
    """A judge process begins: Ctrl-C is for the process that started it."""
    global _syllabus, _workers, _hidden
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _syllabus, _workers, _hidden = syllabus, workers, hidden


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
    files, problem = submission.files()
    labels = _hidden.get(assignment.id)
    model = judge.Model(files, labels) if labels else None
    result = judge.grade(
        submission.data, _syllabus, assignment, opened, exercises, public_only, model
    )
    result["notices"] += [problem] if problem else []
    result["submission"]["sha256"] = handed_in.digest(submission.data, files)
    result["submission"]["notebook_sha256"] = handed_in.digest(submission.data, {})
    return result

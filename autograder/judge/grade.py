"""Grades one submission: a pure function from a notebook's bytes to a JSON result.

collect → load in a worker → run the suite → run again what an earlier mistake may have spoilt,
with a neutral substitute for it → score
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from course_lib.course.syllabus import Assignment, Syllabus
from course_lib.seam import Student, StudentError
from course_lib.seam.errors import LOAD_ERROR, POLICY
from course_lib.seam.facade import Backend

from ..gradebook.totals import UNGRADED, add_up
from ..notebook import answers, notebook_file, policy
from ..notebook.collect import Collected, collect
from ..notebook.statements import Statement
from . import score, second_try, session, substitutes
from .models import model_part
from .models.hidden_labels import HiddenLabels
from .session import PASSED, TestResult
from .workers.time_limit import Patience


@dataclass(frozen=True)
class Load:
    """What a worker executes before it answers: the student's statements, then substitutes."""

    statements: list[Statement]
    unavailable: dict[str, str] = field(default_factory=dict)
    substitutes: list[str] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)  # one for all workers of a submission
    limits: dict[str, int] = field(default_factory=dict)  # that differ from the usual ones


@dataclass(frozen=True)
class Model:
    """A trained model that was handed in, and what it is scored with."""

    files: dict[str, bytes]
    hidden: HiddenLabels


class Worker(Backend, Protocol):
    """A backend that also says how it was isolated."""

    @property
    def isolation(self) -> dict[str, Any]:
        """`{"tier": "A", "layers": {…}}` of the worker that answered."""
        ...

    @property
    def printed(self) -> str:
        """The beginning of what the submission wrote to its standard streams."""
        ...

    def clock(self) -> float:
        """Seconds of CPU time that its other side has used, from any beginning."""
        ...

    @property
    def unloadable(self) -> StudentError | None:
        """Why no worker can load these statements, if one has hung or died of them."""
        ...


OpenWorker = Callable[[Load], AbstractContextManager[Worker]]


def grade(
    data: bytes,
    syllabus: Syllabus,
    assignment: Assignment,
    open_worker: OpenWorker,
    only: Collection[str] | None = None,
    public_only: bool = False,
    model: Model | None = None,
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The result of one submission; see the gradebook for its fields.

    `only` keeps these exercises; `public_only` leaves the hidden tests out. Without `model` the
    exercises that train one stay pending; `before` is what a first try found, whose model is not
    asked again without need. Whatever the submission does ends in a result, never in an exception;
    an exception is a fault of the course (a suite that does not run, a sandbox that fails).
    """
    started = time.perf_counter()
    try:
        cells = notebook_file.read(data)
    except notebook_file.InvalidNotebook as error:
        return invalid(str(error), assignment, data)
    result = _blank(assignment, data)
    names = [name for exercise in assignment.exercises for name in exercise.names]
    names += assignment.model.entry_points if assignment.model else []
    collected = collect(cells, names)
    files = session.suite_files(assignment, public_only)
    load = Load(collected.statements, collected.unavailable)
    tests, substituted, unloadable = _run(
        assignment, collected, load, open_worker, only, files, result
    )
    result["exercises"] = score.exercises(assignment, tests, substituted, collected.written, only)
    result["notices"] = answers.notices(syllabus, assignment, cells, collected)
    result["notices"] += result.pop("printed", [])
    answers.attach(assignment, cells, result["exercises"])
    if model is not None and assignment.model is not None and not public_only:
        known = (before or {}).get("model")
        if known is None or second_try.is_needed_by(known["problem"]):
            load = replace(load, limits=model_part.LIMITS)
            known = model_part.evaluate(
                model.files,
                assignment.model,
                model.hidden,
                assignment.seed,
                lambda: _open(load, open_worker, unloadable),
            )
        result["model"] = known
        score.models(assignment, result["exercises"], result["model"])
    result["outcome"], result["reason"] = score.outcome(tests)
    result["totals"] = add_up(result, assignment)
    result["seconds"] = round(time.perf_counter() - started, 3)
    return result


def _open(
    load: Load, open_worker: OpenWorker, unloadable: StudentError | None
) -> AbstractContextManager[Worker]:
    """A worker. Raises, as a request to it would, when what it should load is known to hang."""
    if unloadable is not None:
        raise unloadable
    return open_worker(load)


def invalid(reason: str, assignment: Assignment, data: bytes = b"") -> dict[str, Any]:
    """The result of a submission that cannot be read: a row all the same, with the reason."""
    result = _blank(assignment, data) | {"outcome": "INVALID", "reason": reason}
    result["exercises"] = score.nothing(assignment)
    result["totals"] = add_up(result, assignment)
    return result | {"seconds": 0.0}


def ungraded(reason: str, assignment: Assignment, data: bytes) -> dict[str, Any]:
    """The result of a submission that the grader failed on: nothing is known, and it says so."""
    result = _blank(assignment, data) | {"outcome": UNGRADED, "reason": reason}
    result["exercises"] = score.unknown(assignment)
    result["totals"] = add_up(result, assignment)
    return result | {"seconds": 0.0}


def _blank(assignment: Assignment, data: bytes) -> dict[str, Any]:
    return {
        "assignment": assignment.id,
        "outcome": "GRADED",
        "reason": "",
        "submission": {"sha256": hashlib.sha256(data).hexdigest()},
        "seed": assignment.seed,
        "notices": [],
        "tier": "",
        "layers": {},
    }


def _run(
    assignment: Assignment,
    collected: Collected,
    load: Load,
    open_worker: OpenWorker,
    only: Collection[str] | None,
    files: list[Path],
    result: dict[str, Any],
) -> tuple[list[TestResult], dict[str, list[str]], StudentError | None]:
    """The tests' results; which passed only with which exercises substituted; what kept all of it
    from being loaded."""
    verdicts = decided(assignment, collected)
    wanted = None if only is None else set(only)
    with open_worker(load) as worker:
        tests = session.run(
            assignment, Student(worker), exercises=wanted, verdicts=verdicts, files=files
        )
        result |= worker.isolation
        if worker.printed:
            first = worker.printed.strip().splitlines()[:1]
            result["printed"] = [f"it printed while being graded: `{line[:120]}`" for line in first]
        unloadable = worker.unloadable
    if unloadable is not None:
        return tests, {}, unloadable
    passed_with: dict[str, list[str]] = {}
    for broken, ids in _spoilt(assignment, collected, tests, verdicts).items():
        replaced = substitutes.sources(assignment, list(broken))
        with open_worker(replace(load, substitutes=replaced)) as worker:
            again = session.run(
                assignment, Student(worker), only=ids, verdicts=verdicts, files=files
            )
        passed_with |= {test.id: list(broken) for test in again if test.outcome == PASSED}
    return tests, passed_with, None


def decided(assignment: Assignment, collected: Collected) -> dict[str, StudentError]:
    """Exercises decided before anything runs: forbidden names, and names that cannot be loaded."""
    verdicts = {}
    for exercise in assignment.exercises:
        closure = collected.closure(exercise.names)
        if used := policy.uses(closure, collected.statements, assignment.forbidden_in(exercise)):
            verdicts[exercise.id] = StudentError(POLICY, ", ".join(used))
        refused = [collected.refused[n] for n in exercise.names if n in collected.refused]
        if refused:
            verdicts[exercise.id] = StudentError(LOAD_ERROR, refused[0])
    return verdicts


def _spoilt(
    assignment: Assignment,
    collected: Collected,
    tests: list[TestResult],
    verdicts: dict[str, StudentError],
) -> dict[tuple[str, ...], list[str]]:
    """Failed tests that rest on an exercise with failures, grouped by those exercises.

    Left out: what was decided beforehand, and what nobody has written.
    """
    failing = {test.mark.exercise for test in tests if test.outcome != PASSED}
    groups: dict[tuple[str, ...], list[str]] = {}
    for test in tests:
        exercise = assignment.exercise(test.mark.exercise)
        broken = tuple(id for id in assignment.upstream(exercise) if id in failing)
        written = not set(exercise.names) <= collected.unwritten
        if test.outcome != PASSED and broken and written and exercise.id not in verdicts:
            groups.setdefault(broken, []).append(test.id)
    return groups

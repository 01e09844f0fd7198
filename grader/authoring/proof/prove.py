"""Grades one known submission and checks the claims about it."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.checking import right_form, session
from grader.notebook import notebook_file
from grader.notebook.collect import collect, decided
from grader.seam import Student, loading
from grader.seam.codec import Tree
from grader.seam.executor import Executor, LocalBackend

from ...course.course import Course
from ...gradebook.result import Result
from ...judge.grade import grade
from ...judge.suite_run import OpenWorker, Submitted, suite_files
from ...judge.workers.load import Load
from . import claims
from .cases import Case

CLAIMS = {
    "reference": "reference at 100 %",
    "starter": "starter at 0 %",
    "variant": "correct variants at 100 %",
    "bug": "named bugs caught with their hint",
}
CONTAINED = "named bugs that fail nothing unrelated"
EVERY_SEED = "named bugs caught under every seed"
MOST_ASKED = 4  # tests that catch a bug are asked under other seeds


@dataclass(frozen=True)
class Outcome:
    """One claim about one case, through one backend, under one seed."""

    assignment: str
    case: str
    claim: str
    backend: str
    seed: int
    wrong: str  # "" when it holds
    cpu_seconds: float  # of the judge, without a sandboxed worker's

    def __str__(self) -> str:
        where = f"{self.assignment} {self.case} ({self.backend}, seed {self.seed})"
        return f"{where}: {self.claim}: {self.wrong or 'holds'}"


def prove(case: Case, backend: str, open_worker: OpenWorker) -> Iterator[Outcome]:
    """Check every claim about a case, under the release's own seed."""
    timed = _Timed(case, backend)
    if case.bug is None:
        result = grade_case(case, open_worker)
        is_starter = case.kind == "starter"
        wrong = claims.nothing(result, case.broken) if is_starter else claims.everything(result)
        yield timed.outcome(CLAIMS[case.kind], wrong)
        return
    result = grade_case(case, open_worker, [case.bug.exercise])
    yield timed.outcome(CLAIMS["bug"], claims.caught(result, case.bug))
    if backend == "local":  # test results do not depend on the backend: once is enough
        yield timed.outcome(CONTAINED, strays(case, open_worker))


def under_seeds(
    case: Case, backend: str, open_worker: OpenWorker, seeds: Sequence[int]
) -> Iterator[Outcome]:
    """Check that tests that catch a bug under the release's seed do so under each seed."""
    assert case.bug is not None
    bug, assignment, timed = (
        case.bug,
        Course.here().assignment(case.assignment),
        _Timed(case, backend),
    )
    collected = collect(notebook_file.read(case.notebook), assignment.exercise(bug.exercise).names)
    verdicts = decided(assignment, collected)
    own = grade_case(case, open_worker, [bug.exercise])
    catching = list(claims.failing(own))[:MOST_ASKED]
    forbidden = assignment.forbidden_anywhere
    load = Load(collected.statements, collected.unavailable, forbidden=forbidden)
    with open_worker(load) as worker:
        for seed in seeds:
            tests = session.run(
                assignment,
                Student(worker),
                files=suite_files(assignment),
                only=catching,
                verdicts=verdicts,
                handed_in=case.files,
                seed=seed,
                right=right_form.answers(assignment, seed),
            )
            yield timed.outcome(EVERY_SEED, claims.caught_by(tests), seed)


def strays(case: Case, open_worker: OpenWorker) -> str:
    """What a bug fails in unrelated exercises; only those are graded."""
    assignment = Course.here().assignment(case.assignment)
    affected = case.affected(assignment)
    others = [e.id for e in assignment.exercises if e.id not in affected]
    return claims.contained(grade_case(case, open_worker, others), affected)


def grade_case(
    case: Case,
    open_worker: OpenWorker,
    only: Collection[str] | None = None,
    seed: int | None = None,
) -> Result:
    """Grade a case, on the exercises `only`, under the release's seed or another."""
    assignment = Course.here().assignment(case.assignment)
    if seed is not None:
        assignment = assignment.model_copy(update={"seed": seed})
    submitted = Submitted(assignment, case.notebook, case.files, only)
    return grade(submitted, Course.here(), open_worker)


class _Timed:
    """Creates the outcomes of one case, each with the CPU time since the previous one."""

    def __init__(self, case: Case, backend: str):
        self.case, self.backend = case, backend
        self.seed = Course.here().assignment(case.assignment).seed
        self.since = time.process_time()

    def outcome(self, claim: str, wrong: str, seed: int | None = None) -> Outcome:
        now = time.process_time()
        spent, self.since = round(now - self.since, 4), now
        seed = self.seed if seed is None else seed
        return Outcome(
            self.case.assignment, self.case.name, claim, self.backend, seed, wrong, spent
        )


BACKENDS = ("local", "sandbox")


class LocalWorker(LocalBackend):
    """Runs the student's code in this process; every suite must pass through it too."""

    isolation: dict[str, Any] = {"tier": "local", "layers": {}}
    printed = ""
    unloadable = None
    clock = staticmethod(time.process_time)

    def request(self, request: Tree, payload: bytes, deadline: float | None) -> tuple[Tree, bytes]:
        with contextlib.redirect_stdout(io.StringIO()):
            return super().request(request, payload, deadline)


@contextlib.contextmanager
def local_worker(load: Load) -> Iterator[LocalWorker]:
    """Open a LocalWorker, as `judge_process.opener` opens a sandboxed one."""
    namespace, unavailable, _ = loading.load(
        {
            "statements": [vars(statement) for statement in load.statements],
            "unavailable": load.unavailable,
            "substitutes": load.substitutes,
            "forbidden": load.forbidden,
        }
    )
    yield LocalWorker(Executor(namespace, unavailable))

"""Grades one known submission and checks the claims about it."""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.checking.session import PASSED, TestResult
from grader.course.assignment import Assignment
from grader.course.mistakes import Bug
from grader.notebook.statements import global_names

from ...course.course import Course
from ...gradebook.result import Result
from ...judge import mistaken
from ...judge.grade import grade, once
from ...judge.suite_run import OpenWorker, Submitted
from . import claims
from .cases import Case
from .claims import Price

CLAIMS = {
    "reference": "reference at 100 %",
    "starter": "starter at 0 %",
    "variant": "correct variants at 100 %",
    "bug": "named bugs caught with their hint",
}
CONTAINED = "named bugs that change nothing unrelated"
PRICED = "named bugs that cost what they should"
EVERY_SEED = "named bugs caught under every seed"
MOST_ASKED = 4  # of the tests that catch a bug under the release's seed


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
    price: Price | None = None  # of a bug

    def __str__(self) -> str:
        where = f"{self.assignment} {self.case} ({self.backend}, seed {self.seed})"
        return f"{where}: {self.claim}: {self.wrong or 'holds'}"


def prove(
    case: Case, backend: str, open_worker: OpenWorker, seeds: Sequence[int] = ()
) -> Iterator[Outcome]:
    """Check every claim about a case, under the release's own seed.

    A bug is also caught under each of the `seeds` of other releases, by a test that catches it now.
    """
    timed = _Timed(case, backend)
    if case.bug is None:
        result = grade_case(case, open_worker)
        is_starter = case.kind == "starter"
        wrong = claims.nothing(result, case.broken) if is_starter else claims.everything(result)
        yield timed.outcome(CLAIMS[case.kind], wrong)
        return
    results = asked(case, case.bug, open_worker)
    yield timed.outcome(CLAIMS["bug"], claims.caught(results, case.bug))
    if backend != "local":  # what code uses and costs does not depend on the backend
        return
    yield timed.outcome(CONTAINED, strays(case))
    price = claims.price(results, case.bug)
    yield replace(timed.outcome(PRICED, price.unfair), price=price)
    assignment = Course.here().assignment(case.assignment)
    failed = [one for one in results if one.outcome != PASSED]
    catching = [one.id for one in sorted(failed, key=lambda one: one.seconds)][:MOST_ASKED]
    for seed in seeds:
        again = (
            mistaken.run(assignment, case.bug, open_worker, only=[id], seed=seed) for id in catching
        )
        caught = any(one.outcome != PASSED for found in again for one in found)
        yield timed.outcome(EVERY_SEED, "" if caught else f"passes {', '.join(catching)}", seed)


def asked(case: Case, bug: Bug, open_worker: OpenWorker) -> list[TestResult]:
    """The results of the tests of a bug's exercise, without any right form."""
    assignment = Course.here().assignment(case.assignment)
    submitted = Submitted(assignment, case.notebook, case.files, [bug.exercise])
    run = once(submitted, Course.here(), open_worker).run
    return run.tests if run else []


def strays(case: Case) -> str:
    """Exercises that a bug changes though they do not depend on its own."""
    assert case.bug is not None
    assignment = Course.here().assignment(case.assignment)
    affected, name = case.affected(assignment), case.bug.component.partition(":")[2]
    found = [
        exercise.id
        for exercise in assignment.exercises
        if exercise.id not in affected and name in _used(assignment, exercise.names)
    ]
    return f"changes what does not depend on it: {found}" if found else ""


def _used(assignment: Assignment, names: Sequence[str]) -> set[str]:
    """The names that the course's own definitions of these names use, directly or not."""
    found, waiting = set[str](), list(names)
    defined = {n: one for one in mistaken.own(assignment.solution, (*names,)) for n in one.names}
    while waiting:
        name = waiting.pop()
        if name in defined and name not in found:
            found.add(name)
            waiting += global_names(defined[name].source)
    return found


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

"""`course prove`: tests the grader on submissions whose grade is known."""

import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from grader.course.course import Course

from .. import EXIT_FOUND, EXIT_OK, lookup
from ..output import UsageProblem
from .authoring_options import Prove

if TYPE_CHECKING:
    from ...authoring.proof.run import Plan

LOG_EVERY = 10.0  # seconds


def run(options: Prove) -> int:
    """Print what was proven; exit 1 if a claim does not hold."""
    from ...authoring import consistency
    from ...authoring.proof import run as proof
    from ...authoring.proof import summary

    course = Course.here()
    consistency.check(course)
    plan = _plan(course, options)
    total = len(proof.tasks(plan))
    if not total:
        raise UsageProblem(f"--exercise {options.exercise}: this exercise has no named bugs")
    started = logged = time.monotonic()
    outcomes: list[proof.Outcome] = []
    for done, found in enumerate(proof.run(plan, options.jobs), 1):
        outcomes += found
        for outcome in found:
            if outcome.wrong:
                print(outcome, file=sys.stderr)
        if time.monotonic() - logged > LOG_EVERY:
            logged = time.monotonic()
            failed = sum(bool(outcome.wrong) for outcome in outcomes)
            print(f"{done} of {total}, {failed} failed, {logged - started:.0f} s", file=sys.stderr)
    outcomes.sort(key=lambda o: (o.assignment, o.claim, o.case, o.backend, o.seed))
    if options.json:
        print(json.dumps([asdict(outcome) for outcome in outcomes]))
    else:
        print("\n".join(["the grader, proven", *summary.lines(summary.rows(outcomes))]))
    if plan.is_whole(course):
        path = summary.write(outcomes, "course prove", time.monotonic() - started)
        print(f"written to {path.relative_to(course.root)}", file=sys.stderr)
    return EXIT_FOUND if any(outcome.wrong for outcome in outcomes) else EXIT_OK


def _plan(course: Course, options: Prove) -> "Plan":
    """The cases to prove. Raises UsageProblem for an unknown assignment, exercise or backend."""
    from ...authoring.proof.run import BACKENDS, SEEDS, Plan

    assignment, exercise = options.assignment, options.exercise
    backend, seeds = options.backend, options.seeds
    owners = [lookup.assignment(course, assignment)] if assignment else course.graded
    if exercise:
        owners = [a for a in owners if exercise in [e.id for e in a.exercises]]
    if not owners:
        raise UsageProblem(f"no assignment {assignment or 'any'} with exercise {exercise or 'any'}")
    if backend not in (*BACKENDS, "both"):
        raise UsageProblem(f"--backend {backend}: give {', '.join(BACKENDS)} or both")
    try:
        numbers = SEEDS if seeds == "all" else tuple(map(int, filter(None, seeds.split(","))))
    except ValueError:
        raise UsageProblem(f"--seeds {seeds}: give numbers such as 0,1,2, or all") from None
    backends = BACKENDS if backend == "both" else (backend,)
    return Plan(tuple(a.id for a in owners), exercise, options.only_bugs, backends, numbers)

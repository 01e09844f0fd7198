"""Runs failed tests again with right forms of earlier functions, which a mistake there may explain.

A right form is an answer, in whatever way the student's code may call it, so no promise rests on
what a worker can keep or pass on. What holds is an order, over all submissions of a class:

1. A worker gets a right form only after every worker whose answers count without one has ended:
   first tries, second tries, trained models.
2. Reruns follow the course's exercises (`Rerun.place`). A worker gets right forms only of what
   comes before the tests that it runs, and no test is run again after a later place has begun.

So what a worker learns here, it can tell only to workers that are graded for something else.
`grading.class_tries` keeps this order within a run. Nothing but the sandbox keeps a later run of
the class from what was learned in this one; what it leaves open stands in `sandbox.system_calls`. A
form behind the seam would be no remedy, as a student's code could ask it for the answers to the
inputs that the next run has again; nor would new inputs, as here the code itself is told. After the
last late day nobody can hand in any more what would listen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.checking.exercise import ExerciseMark
from grader.checking.session import BROKEN, PASSED, TestResult
from grader.course.assignment import Assignment
from grader.notebook.collect import Collected
from grader.seam import StudentError

from . import substitutes
from .suite_run import OpenWorker, Submitted, results
from .workers.load import Load


@dataclass(frozen=True)
class Rerun:
    """Tests to run again, and the exercises and names that are replaced in it."""

    place: tuple[int, int]  # of its first test: its exercise, and how much it builds on in there
    replaced: tuple[str, ...]
    tests: list[str]


def passed(
    rerun: Rerun,
    submitted: Submitted,
    load: Load,
    verdicts: dict[str, StudentError],
    open_worker: OpenWorker,
) -> list[str]:
    """The tests that pass now."""
    sources = substitutes.sources(submitted.assignment, rerun.replaced)
    with open_worker(replace(load, substitutes=sources)) as worker:
        again = results(submitted, worker, verdicts, only=rerun.tests)
    return [test.id for test in again if test.outcome == PASSED]


def planned(
    assignment: Assignment,
    collected: Collected,
    tests: list[TestResult],
    verdicts: dict[str, StudentError],
) -> list[Rerun]:
    """Failed tests that depend on something with failures, together if on the same, by place.

    That is other exercises, and names of the same exercise that come before (the mark's `after`).
    Exercises with a verdict and exercises that are not written are left out.
    """
    wrong = [test for test in tests if test.outcome not in (PASSED, BROKEN)]
    failed = [test.mark for test in wrong]
    failing = {mark.exercise for mark in failed}
    order = [exercise.id for exercise in assignment.exercises]
    groups: dict[tuple[str, ...], Rerun] = {}
    for test in wrong:
        exercise = assignment.exercise(test.mark.exercise)
        broken = tuple(id for id in assignment.upstream(exercise) if id in failing)
        if any(_is_earlier(mark, test.mark) for mark in failed):
            broken += test.mark.after
        written = not set(exercise.names) <= collected.unwritten
        if broken and written and exercise.id not in verdicts:
            place = (order.index(exercise.id), len(test.mark.after))
            group = groups.get(broken, Rerun(place, broken, []))
            groups[broken] = Rerun(min(place, group.place), broken, [*group.tests, test.id])
    return sorted(groups.values(), key=lambda rerun: rerun.place)


def _is_earlier(mark: ExerciseMark, other: ExerciseMark) -> bool:
    """Whether a test is about what another test of the same exercise builds on."""
    return mark.exercise == other.exercise and set(mark.after) < set(other.after)

"""Runs failed tests again with right forms of earlier functions, which a mistake there may explain.

First those of the earlier exercises that fail themselves, so that as much as possible stays the
student's own. Then those of all earlier ones, since a mistake there may pass every test of its own;
but not where an exception was asked for, which a right form may word otherwise.

A right form is an answer, in whatever way the student's code may call it, so no promise rests on
what a worker can keep or pass on. What holds is an order, over all submissions of a class:

1. No right form runs before an assignment's last late day has ended, unless the instructor says so:
   nothing that code learns here can be handed in again. Until then results are provisional.
2. A worker gets a right form only after every worker whose answers count without one has ended:
   first tries, second tries, trained models.
3. Reruns follow the course's exercises (`Rerun.place`). A worker gets right forms only of what
   comes before the tests that it runs, and no test is run again after a later place has begun.

So what a worker learns here, it can tell only to workers that are graded for something else.
`grading.retries` keeps this order within a run.
"""

from dataclasses import dataclass, replace

from grader.checking.exercise import ExerciseMark
from grader.checking.messages import WAITING
from grader.checking.session import BROKEN, PASSED, TestResult
from grader.course.assignment import Assignment
from grader.notebook.collect import Collected
from grader.seam import StudentError
from grader.seam.errors import CRASHED, OOM, TIMEOUT

from ..gradebook.result import Result
from . import substitutes
from .suite_run import OpenWorker, Submitted, results
from .workers.load import Load

SECOND_LOAD_SECONDS = 10.0  # of CPU time; the first try has remote.LOAD_SECONDS
_DOUBTFUL = (TIMEOUT, CRASHED, OOM)


def needs_second_try(result: Result) -> bool:
    """Whether a problem in this result may be due to a busy machine: too late, dead, or no memory.

    A second try has the machine to itself, a fresh worker, and more time to load.
    """
    problem = result.model.problem if result.model else ""
    return result.outcome in _DOUBTFUL or is_doubtful(problem)


def is_doubtful(problem: str) -> bool:
    """Whether a model's `problem` may be due to the machine."""
    return problem.startswith(_DOUBTFUL)


def worth(result: Result) -> float:
    """The better try has more points: what succeeded once cannot be the submission's fault."""
    return result.totals.automatic or 0.0


@dataclass(frozen=True)
class Rerun:
    """Tests to run again, and the exercises and names that are replaced in it."""

    place: tuple[int, int]  # of its first test: its exercise, and how much it builds on in there
    replaced: tuple[str, ...]
    tests: list[str]
    together: bool = False  # they count only if all of them pass


def passed(
    rerun: Rerun,
    submitted: Submitted,
    load: Load,
    verdicts: dict[str, StudentError],
    open_worker: OpenWorker,
) -> list[str]:
    """The tests that pass now."""
    if not rerun.tests:
        return []
    sources = substitutes.sources(submitted.assignment, rerun.replaced)
    with open_worker(replace(load, substitutes=sources)) as worker:
        again = results(submitted, worker, verdicts, only=rerun.tests)
    ids = [test.id for test in again if test.outcome == PASSED]
    return ids if len(ids) == len(again) or not rerun.together else []


def hoped(plan: list[Rerun], tests: list[TestResult]) -> dict[str, list[str]]:
    """The tests that may pass with right forms of exercises or names that fail, and of which.

    A mistake that passes all tests of its own may explain more: nobody can say so before a rerun.
    """
    failing = {t.mark.exercise for t in tests if t.outcome not in (PASSED, BROKEN, WAITING)}
    found = dict[str, list[str]]()
    for one in reversed(plan):  # what replaces least comes last, and counts
        names = [name for name in one.replaced if name.isidentifier() or name in failing]
        found |= dict.fromkeys(one.tests, names) if names else {}
    return found


def narrower(rerun: Rerun, ids: list[str]) -> list[Rerun]:
    """Tests that pass now, with one right form alone: if it explains them all, it is the cause."""
    alone = [(one,) for one in rerun.replaced] if ids and len(rerun.replaced) > 1 else []
    return [replace(rerun, replaced=one, tests=ids, together=True) for one in alone]


def planned(
    assignment: Assignment,
    collected: Collected,
    tests: list[TestResult],
    verdicts: dict[str, StudentError],
) -> list[Rerun]:
    """Failed tests that build on something, together if on the same, by place.

    That is other exercises, and names of the same exercise that come before (the mark's `after`),
    where these fail. Exercises with a verdict and exercises that are not written are left out.
    """
    wrong = [test for test in tests if test.outcome not in (PASSED, BROKEN, WAITING)]
    failed = [test.mark for test in wrong]
    failing = {mark.exercise for mark in failed}
    order = [exercise.id for exercise in assignment.exercises]
    groups: dict[tuple[str, ...], Rerun] = {}
    for test in wrong:
        exercise = assignment.exercise(test.mark.exercise)
        if set(exercise.names) <= collected.unwritten or exercise.id in verdicts:
            continue
        before = assignment.upstream(exercise)
        of_own = test.mark.builds_on if any(_is_earlier(mark, test.mark) for mark in failed) else ()
        broken = (*(id for id in before if id in failing), *of_own)
        place = (order.index(exercise.id), len(test.mark.builds_on))
        ids = [test.id, *(other.id for other in wrong if _needs(test, other))]
        asked_for = not test.answered and not (test.message and test.message.raised)
        for replaced in dict.fromkeys((broken, broken if asked_for else (*before, *of_own))):
            if substitutes.sources(assignment, replaced):
                group = groups.get(replaced, Rerun(place, replaced, []))
                together = list(dict.fromkeys([*group.tests, *ids]))
                groups[replaced] = Rerun(min(place, group.place), replaced, together)
    return sorted(groups.values(), key=lambda rerun: (rerun.place, len(rerun.replaced)))


def _needs(test: TestResult, other: TestResult) -> bool:
    """Whether a test counts only if another passes, so that both run together, if they may."""
    one, two = test.mark, other.mark
    same = one.exercise == two.exercise and set(one.builds_on) <= set(two.builds_on)
    return same and other.name in one.needs_one_of


def _is_earlier(mark: ExerciseMark, other: ExerciseMark) -> bool:
    """Whether a test is about what another test of the same exercise builds on."""
    return mark.exercise == other.exercise and set(mark.builds_on) < set(other.builds_on)

"""`student check`: an assignment's tests on a saved notebook."""

from __future__ import annotations

import contextlib
from pathlib import Path

from ..checking.messages import summary
from ..course.assignment import Assignment
from ..course.course_file import shown
from ..course.lab import Lab
from . import record, running, tree, work
from .problem import Problem
from .running import Run
from .work import Work


def run(assignment: Assignment, given: Path | None, full: bool) -> bool:
    """Print what each test found; True if all of them pass. Raises Problem."""
    found = work.read(assignment, given)
    hidden = _hidden(found) if full else None
    done = running.run(found, hidden)
    show(assignment, done, "checks" if full else "visible checks")
    if not full and not isinstance(assignment, Lab):
        print("Hidden tests check more when you submit.")
    for notice in found.notices:
        print(f"  ! {notice}")
    with contextlib.suppress(OSError):  # the page of progress is poorer, the check is as good
        record.keep(found, done)
    return all(test.message is None for test in done.tests)


def show(assignment: Assignment, done: Run, what: str, only_failing: bool = False) -> None:
    """Print the tests of every exercise, as its check cell does.

    `only_failing`: of an exercise that passes, nothing but its heading.
    """
    for exercise in assignment.exercises:
        if outcomes := done.of(exercise.id):
            lines = summary(f"{exercise.id} {exercise.title}", outcomes, what)
            brief = only_failing and done.passes(exercise.id)
            print("\n".join(lines[:1] if brief else lines))


def _hidden(found: Work) -> Path:
    """The folder of the hidden tests. Raises Problem if there is none, or no attempt yet."""
    if isinstance(found.assignment, Lab):
        raise Problem(
            f"{found.assignment.id} is a lab: its visible checks are all there are, so leave out "
            "--full"
        )
    hidden = tree.hidden_suite(found.assignment)
    if hidden is None:
        raise Problem(
            f"this course folder holds no hidden tests of {found.assignment.id} "
            f"({tree.AFTER}/{shown(found.assignment.hidden)}): leave out --full"
        )
    required = [exercise for exercise in found.assignment.exercises if not exercise.bonus]
    if open_ones := [exercise.id for exercise in required if not found.is_begun(exercise)]:
        raise Problem(
            f"--full opens after an attempt at every exercise: still open in {found.path.name} "
            f"{'is' if len(open_ones) == 1 else 'are'} {', '.join(open_ones)}"
        )
    return hidden

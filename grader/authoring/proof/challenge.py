"""A notebook to repair: the solution of an assignment with chosen named bugs in it.

Its cells check themselves, so the class works until every check is green. Nothing is copied: the
notebook is made from the library, and each bug is one that the grader is proven to catch. Bugs are
drawn among those that a visible check catches too: the others are green from the start.
"""

import difflib
import itertools
import random
import warnings
from collections.abc import Sequence

from grader.checking import session
from grader.checking.findings import shown_answers
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_file import shown
from grader.course.record import mistake
from grader.notebook import notebook_file
from grader.notebook.collect import collect
from grader.seam import Student

from ...judge.workers.load import Load
from ...judge.workers.local import local_worker
from ...library.components import Component
from ..views import notebooks


def chosen(
    course: Course, assignment: Assignment, names: Sequence[str], number: int, seed: int
) -> list[mistakes.Bug]:
    """The bugs of these names; without names, `number` visible ones in different components.

    Raises BugError for an unknown name, two bugs in one component, or too large a number.
    """
    if not names:
        return _draw_bugs(course, assignment, number, seed)
    known = {bug.name: bug for bug in mistakes.load(assignment)}
    if unknown := [name for name in names if name not in known]:
        raise mistakes.BugError(
            f"{assignment.id} has no bug {unknown[0]!r}: choose from {shown(assignment.hidden)}"
        )
    found = [known[name] for name in names]
    places = [bug.component for bug in found]
    if twice := next((place for place in places if places.count(place) > 1), ""):
        raise mistakes.BugError(
            f"two of the bugs are in {twice}: choose one, so that each can be found"
        )
    return found


def _draw_bugs(
    course: Course, assignment: Assignment, number: int, seed: int
) -> list[mistakes.Bug]:
    by_component: dict[str, list[mistakes.Bug]] = {}
    for bug in mistakes.load(assignment):
        by_component.setdefault(bug.component, []).append(bug)
    if not 1 <= number <= len(by_component):
        raise mistakes.BugError(
            f"{number} bugs in different components are not to be had: {assignment.id} has "
            f"bugs in {len(by_component)} components, give 1 to {len(by_component)}"
        )
    dice = random.Random(seed)
    found: list[mistakes.Bug] = []
    for place in dice.sample(sorted(by_component), len(by_component)):
        shuffled = dice.sample(by_component[place], len(by_component[place]))
        visible = (bug for bug in shuffled if is_visible(course, assignment, bug))
        found += itertools.islice(visible, 1)
        if len(found) == number:
            return found
    raise mistakes.BugError(
        f"{number} bugs in different components are not to be had: only {len(found)} of the "
        f"components of {assignment.id} have one that a visible check catches: give {len(found)}"
    )


def is_visible(course: Course, assignment: Assignment, bug: mistakes.Bug) -> bool:
    """Whether a visible check of its exercise fails while nothing but this bug is wrong."""
    names = [name for exercise in assignment.exercises for name in exercise.names]
    cells = notebook_file.read(notebook(course, assignment, [bug]).encode())
    collected = collect(cells, names)
    forbidden = assignment.forbidden_anywhere
    loaded = Load(collected.statements, collected.unavailable, forbidden=forbidden)
    with warnings.catch_warnings(), local_worker(loaded) as worker:
        warnings.simplefilter("ignore")  # a broken formula may divide by zero
        results = session.run(
            assignment,
            Student(worker),
            files=assignment.public_tests,
            exercises=[bug.exercise],
            right=shown_answers.right_answer,
        )
    return any(result.message is not None for result in results)


def notebook(course: Course, assignment: Assignment, found: Sequence[mistakes.Bug]) -> str:
    """The notebook's text. Raises BugError for a bug that does not fit its component."""
    broken = {bug.component: bug.apply(Component.parse(bug.component).source) for bug in found}
    return notebooks.dump(notebooks.build(course, assignment, "solution", broken))


def key(found: Sequence[mistakes.Bug]) -> str:
    """The instructor's sheet: where each bug is, what catches it, how it is mended."""
    lines = [
        "# What is broken\n",
        "| exercise | component | mistake |",
        "|---|---|---|",
    ]
    for bug in sorted(found, key=lambda bug: [int(part) for part in bug.exercise.split(".")]):
        name = bug.component.partition(":")[2]
        lines.append(f"| {bug.exercise} | `{name}` | {bug.sentence} |")
    for bug in found:
        lines += [
            f"\n## {bug.exercise}: {bug.sentence}\n",
            *(f"```diff\n{_mended(hunk)}\n```" for hunk in bug.change),
        ]
    return "\n".join(lines) + "\n"


def _mended(hunk: mistake.Hunk) -> str:
    """The wrong and the right code, as a diff that mends it."""
    lines = difflib.ndiff(hunk.new, hunk.old)
    return "\n".join(line for line in lines if not line.startswith("?"))

"""All components in learning order, each with the source that readers of the site may see."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import Exercise
from grader.library import student_tree
from grader.library.components import Component, ModuleText, take_apart

from .groups import Group, group_of

Modules = dict[str, ModuleText]


@dataclass(frozen=True)
class Entry:
    """A component: who asks for it, and its source as it is shown.

    The source is "" where readers may not see the component at all. A component that no exercise
    asks for has the assignment of the one that it follows.
    """

    component: Component
    label: str  # its name, with its package if there is another of that name
    assignment: Assignment
    exercise: Exercise | None
    group: Group
    source: str
    first_line: int
    is_stub: bool

    @property
    def file(self) -> str:
        return f"{self.component.module.replace('.', '/')}.py"

    @property
    def id(self) -> str:
        """Its anchor: `code-feed-forward`, `code-attention-split-heads`."""
        words = [part.replace("_", "-") for part in self.component.module.split(".")[1:]]
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", self.component.name).lower().replace("_", "-")
        return "-".join(["code", *words, *([name] if name != words[-1] else [])])


@lru_cache(maxsize=8)
def entries(week: int) -> tuple[Entry, ...]:
    """The components as a site of that week shows them; 0: every source.

    They are what the exercises ask for, in order, and every other public definition that cites a
    section of the paper. That one follows the last exercise of its module, its package or else its
    group.
    """
    course = Course.here()
    asked = {
        reference: (assignment, exercise)
        for assignment in course.assignments
        for exercise in assignment.exercises
        for reference in exercise.components
    }
    library = _modules(course, 0)
    shown = _modules(course, week) if week else library
    order = list(asked)
    found = [(place, one) for place, one in enumerate(order)]
    found += [(_after(one, order), one) for one in _citing(library) if one not in asked]
    names = Counter(Component.parse(one).name for _, one in found)
    made = []
    for place, reference in sorted(found, key=lambda pair: pair[0]):
        component = Component.parse(reference)
        owner = asked.get(reference, (asked[order[place]][0], None))
        made.append(_entry(component, names[component.name] > 1, shown, *owner))
    return tuple(made)


def _modules(course: Course, week: int) -> Modules:
    """The library as students of that week get it; 0: as it is."""
    released = student_tree.released_in_week(course, week)
    hidden = student_tree.unreleased(course, released) if week else {}
    texts = student_tree.modules(course, hidden)
    return {name: take_apart(name, text) for name, text in texts.items()}


def _citing(library: Modules) -> list[str]:
    return [
        f"{module}:{name}"
        for module, parts in library.items()
        for name, source in parts.definitions.items()
        if "§" in source and not name.startswith("_")
    ]


def _after(reference: str, order: list[str]) -> int:
    """The place of the exercise's component that this one follows."""
    name = module = Component.parse(reference).module
    modules = [Component.parse(one).module for one in order]
    while "." in name:  # within the library
        if near := [n for n, other in enumerate(modules) if f"{other}.".startswith(f"{name}.")]:
            return near[-1]
        name = name.rpartition(".")[0]
    group = group_of(module)
    return [n for n, other in enumerate(modules) if group_of(other) is group][-1]


def _entry(
    component: Component,
    ambiguous: bool,
    shown: Modules,
    assignment: Assignment,
    exercise: Exercise | None,
) -> Entry:
    _, *packages, _ = component.module.split(".")
    label = f"{component.name} ({packages[0]})" if ambiguous and packages else component.name
    module = shown.get(component.module)
    source = module.definitions[component.name] if module else ""
    line = module.text[: module.text.index(source)].count("\n") + 1 if module else 0
    group, is_stub = group_of(component.module), bool(source) and source != component.source
    return Entry(component, label, assignment, exercise, group, source, line, is_stub)

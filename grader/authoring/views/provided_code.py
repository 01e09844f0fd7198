"""Collects the imports and helpers that a notebook's components use, which students are given."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook.statements import global_names

from ...library.components import BuildError, Component, ModuleText, module_text

IN_SETUP = {"np": "import numpy as np", "plt": "import matplotlib.pyplot as plt"}


@dataclass
class ProvidedCode:
    """Import lines of the whole notebook, and helper definitions before each component."""

    imports: list[str] = field(default_factory=list)
    helpers: dict[str, list[str]] = field(default_factory=dict)  # component → definitions


def collect(course: Course, assignment: Assignment) -> ProvidedCode:
    """Collect what an assignment's components use. Raises BuildError for an undefined name.

    Components of other assignments are imported, not shown.
    """
    elsewhere = {
        reference
        for other in course.assignments
        if other.id != assignment.id
        for exercise in other.exercises
        for reference in exercise.components
    }
    references = [reference for e in assignment.exercises for reference in e.components]
    return needed_by(references, elsewhere)


def needed_by(references: Sequence[str], elsewhere: Collection[str]) -> ProvidedCode:
    """Collect what components use that a notebook shows; those `elsewhere` are imported.

    Raises BuildError for an undefined name.
    """
    written = {Component.parse(reference).name for reference in references}
    given, lines, seen = ProvidedCode(), set[str](), set[str]()

    def needed(reference: str, source: str) -> list[str]:
        """The helpers that a definition uses, dependencies first; imports go to `lines`."""
        module = module_text(Component.parse(reference).module)
        helpers: list[str] = []
        for name in sorted(global_names(source) - written):
            if name in seen:
                continue
            if name in module.imports:
                lines.add(module.imports[name])
            elif f"{module.name}:{name}" in elsewhere:
                lines.add(f"from {module.name} import {name}")
            else:
                seen.add(name)
                found = _definition(module, name, reference)
                helpers += [*needed(reference, found), found]
        return helpers

    for reference in references:
        given.helpers[reference] = needed(reference, Component.parse(reference).source)
    given.imports = merged(sorted(lines - set(IN_SETUP.values())))
    return given


def _definition(module: ModuleText, name: str, reference: str) -> str:
    for table in (module.constants, module.definitions):
        if name in table:
            return table[name].rstrip("\n")
    raise BuildError(
        f"{reference} uses {name!r}, which its module does not define or import: import it there"
    )


def merged(lines: list[str]) -> list[str]:
    """Merge `from a import x` and `from a import y`; plain imports come first."""
    plain, by_module = [], dict[str, list[str]]()
    for line in lines:
        if line.startswith("from "):
            module, _, name = line.removeprefix("from ").partition(" import ")
            by_module.setdefault(module, []).append(name)
        else:
            plain.append(line)
    return plain + [f"from {module} import {', '.join(n)}" for module, n in by_module.items()]

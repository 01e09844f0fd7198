"""Writes the `course_lib` that students and workers see, with unreleased components as stubs.

Components of `course.toml` that are not released yet are stubbed as in the starter. A module that
imports such a component without being an exercise itself (a fast form, say) is left out, because it
would show how the component is used. An assignment that builds on an earlier one whose answers are
not out yet gets stand-ins for them, backed by `torch.nn`.
"""

from __future__ import annotations

import ast
import datetime
import shutil
from collections.abc import Iterable
from pathlib import Path

import course_lib
from course_lib.course.syllabus import ROOT, Syllabus, public_tests

from .components import Component, module_text, stub

PACKAGE = Path(course_lib.__file__).parent
STAND_INS = Path(__file__).parent / "stand_ins"
SHARED = ("checking", "seam")  # packages that hold no component


def unreleased(syllabus: Syllabus, released: Iterable[str] = ()) -> dict[str, str]:
    """Components whose answers are not out, each with its exercise, or "" for a reserved one.

    `released` are assignments whose last late day is over.
    """
    open_assignments = [a for a in syllabus.assignments if a.id not in set(released)]
    return dict.fromkeys(syllabus.course.reserved, "") | {
        component: exercise.id
        for assignment in open_assignments
        for exercise in assignment.exercises
        for component in exercise.components
    }


def released_before(syllabus: Syllabus, id: str) -> list[str]:
    """Assignments whose answers are out when assignment `id` is released, late days included."""
    begins = syllabus.assignment(id).released
    return [
        other.id
        for other in syllabus.assignments
        if other.due.date() + datetime.timedelta(days=other.late_days) < begins
    ]


def write(
    syllabus: Syllabus, folder: Path, assignment: str = "", released: Iterable[str] = ()
) -> Path:
    """Write the students' `course_lib` for `assignment` into `folder` and return its path.

    `released` are assignments whose answers are out. Without `assignment`, no stand-ins.
    """
    hidden = unreleased(syllabus, released)
    target = folder / "course_lib"
    target.mkdir(parents=True)
    for name in SHARED:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE / name, target / name, ignore=ignore)
    for name, text in _modules(hidden, _stand_ins(syllabus, hidden, assignment)).items():
        path = target.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "course.toml", folder / "course.toml")
    shutil.copytree(ROOT / "data", folder / "data")
    for other in syllabus.assignments:
        for path in public_tests(other.id):
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return target


def _stand_ins(syllabus: Syllabus, hidden: dict[str, str], assignment: str) -> dict[str, str]:
    """Modules of earlier assignments whose answers are not out, as stand-ins: name → text."""
    ids = [a.id for a in syllabus.assignments]
    earlier = ids[: ids.index(assignment)] if assignment else []
    of_earlier = {
        Component.parse(reference).module.partition(".")[2]
        for reference, exercise in hidden.items()
        if exercise and syllabus.assignment_of(exercise).id in earlier
    }
    paths = {name: STAND_INS.joinpath(*name.split(".")).with_suffix(".py") for name in of_earlier}
    return {n: path.read_text(encoding="utf-8") for n, path in paths.items() if path.exists()}


def _modules(hidden: dict[str, str], stand_ins: dict[str, str]) -> dict[str, str]:
    """The text of every module that students get, by name: whole, stubbed, or a stand-in."""
    closed = {Component.parse(reference).module.partition(".")[2] for reference in hidden}
    whole = {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in SHARED
    }
    absent = {reference.removeprefix("course_lib.").replace(":", ".") for reference in hidden}
    texts = {name: text for name, text in whole.items() if name not in closed}
    while left_out := {name for name, text in texts.items() if _imports(name, text) & absent}:
        absent |= left_out
        texts = {name: text for name, text in texts.items() if name not in left_out}
    return texts | {name: stubbed(f"course_lib.{name}", hidden) for name in closed} | stand_ins


def stubbed(module: str, hidden: dict[str, str]) -> str:
    """A module's text with its hidden components stubbed."""
    text = module_text(module).text
    for reference, exercise in hidden.items():
        component = Component.parse(reference)
        if component.module == module:
            source = component.source
            label = f"A{exercise}: {component.name} is not written yet"
            if not exercise:
                label = f"{component.name} belongs to a later assignment"
            text = text.replace(source, stub(source, label, component.name))
    return text


def _imports(name: str, text: str) -> set[str]:
    """What the module `name` imports of `course_lib`: modules, and `module.thing`s."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = name.split(".")[: -node.level]
            base = [*above, *(node.module.split(".") if node.module else [])]
            found |= {".".join(base), *(".".join([*base, alias.name]) for alias in node.names)}
    return found

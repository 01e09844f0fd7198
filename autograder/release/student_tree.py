"""The `course_lib` that a student, and a worker, sees: later components are stubs.

A module with components of `course.toml` that are not due yet has them stubbed as in the starter.
A module that needs such a component but is no exercise itself (a fast form, say) is left out: it
would tell how the component is used.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterable
from pathlib import Path

import course_lib
from course_lib.syllabus import ROOT, Syllabus

from .components import Component, module_text, stub

PACKAGE = Path(course_lib.__file__).parent
SHARED = ("checking", "seam")  # packages that hold no component


def unreleased(syllabus: Syllabus, released: Iterable[str] = ()) -> dict[str, str]:
    """Components whose answers are not out, each with its exercise.

    `released` are assignments whose last late day is over.
    """
    open_assignments = [a for a in syllabus.assignments if a.id not in set(released)]
    return {
        component: exercise.id
        for assignment in open_assignments
        for exercise in assignment.exercises
        for component in exercise.components
    }


def write(syllabus: Syllabus, folder: Path, released: Iterable[str] = ()) -> Path:
    """Write the students' `course_lib` into `folder` and return its path."""
    hidden = unreleased(syllabus, released)
    target = folder / "course_lib"
    target.mkdir(parents=True)
    for name in SHARED:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE / name, target / name, ignore=ignore)
    closed = {Component.parse(reference).module for reference in hidden}
    for path in sorted(PACKAGE.glob("*.py")):
        module = f"course_lib.{path.stem}"
        text = path.read_text(encoding="utf-8")
        if module in closed:
            text = stubbed(module, hidden)
        elif _imports(text) & closed:
            continue
        (target / path.name).write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "course.toml", folder / "course.toml")
    for assignment in syllabus.assignments:
        public = Path("assignments") / assignment.id / "public_tests.py"
        if (ROOT / public).exists():
            (folder / public).parent.mkdir(parents=True)
            shutil.copy(ROOT / public, folder / public)
    return target


def stubbed(module: str, hidden: dict[str, str]) -> str:
    """A module's text with its hidden components stubbed."""
    parts = module_text(module)
    text = parts.text
    for reference, exercise in hidden.items():
        component = Component.parse(reference)
        if component.module == module:
            source = parts.definitions[component.name]
            label = f"A{exercise}: {component.name} is not written yet"
            text = text.replace(source, stub(source, label, component.name))
    return text


def _imports(text: str) -> set[str]:
    """Modules of `course_lib` that a module of it imports from."""
    return {
        f"course_lib.{node.module}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
    }

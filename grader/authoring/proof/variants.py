"""Correct submissions in really different styles: every one of them must get all points.

One file a style; its docstring names it. Definitions with an exercise's name replace the
reference's, everything else in the file comes along.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from grader.course.assignment import Assignment


@dataclass(frozen=True)
class Variant:
    """One correct submission: other sources for some components."""

    name: str
    title: str
    replace: dict[str, str]  # component → source


def handed_in(assignment: Assignment) -> dict[str, bytes]:
    """The files that a correct submission has beside its notebook, apart from a model's."""
    names = [name for exercise in assignment.exercises for name in exercise.files]
    return {name: (assignment.hidden / "handed_in" / name).read_bytes() for name in names}


def load(assignment: Assignment) -> list[Variant]:
    """All variants of an assignment, by name."""
    paths = sorted((assignment.hidden / "variants").glob("*.py"))
    return [_read(path, assignment) for path in paths]


def _read(path: Path, assignment: Assignment) -> Variant:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    references = {
        reference.partition(":")[2]: reference
        for exercise in assignment.exercises
        for reference in exercise.components
    }
    shared: list[str] = []
    replace: dict[str, str] = {}
    for node in tree.body[1:]:
        source = _segment(text, node)
        name = getattr(node, "name", "")
        if name in references:
            replace[references[name]] = source
        else:
            shared.append(source)
    if not replace:
        raise ValueError(f"{path.name} defines none of the names of {assignment.id}")
    first = next(iter(replace))
    replace[first] = "\n\n".join([*shared, replace[first]])
    return Variant(path.stem, (ast.get_docstring(tree) or path.stem).splitlines()[0], replace)


def _segment(text: str, node: ast.stmt) -> str:
    """The statement's lines, decorators included."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])

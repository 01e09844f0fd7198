"""Submissions whose grade is known beforehand, built from the library's own source."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course

from ...library.components import Component
from ..views import notebooks, text_notebook

KINDS = ("reference", "starter", "variant", "bug")


@dataclass(frozen=True)
class Variant:
    """One correct submission: other sources for some components."""

    name: str
    title: str
    replace: dict[str, str]  # component → source


@dataclass(frozen=True)
class Case:
    """One such submission: the reference, the starter, a correct variant or a named bug."""

    assignment: str
    kind: str
    variant: Variant | None = None
    bug: mistakes.Bug | None = None

    @property
    def name(self) -> str:
        """Unique among the cases of its assignment."""
        thing = self.variant or self.bug
        return thing.name if thing else self.kind

    @property
    def notebook(self) -> bytes:
        """The submission's bytes. Raises BugError for a bug that does not fit its component."""
        view: notebooks.View = "starter" if self.kind == "starter" else "solution"
        replace = dict(self.variant.replace) if self.variant else {}
        if self.bug:
            source = Component.parse(self.bug.component).source
            replace[self.bug.component] = self.bug.apply(source)
        return notebook(self.assignment, view, replace)

    @property
    def files(self) -> dict[str, bytes]:
        """What is handed in beside the notebook: the exercises' files, except with a starter."""
        if self.kind == "starter":
            return {}
        return handed_in(Course.here().assignment(self.assignment))

    @property
    def broken(self) -> list[str]:
        """Exercises that the starter hands out with a mistake."""
        assignment = Course.here().assignment(self.assignment)
        shown = {cell.argument for cell in text_notebook.read(assignment) if cell.bug}
        return [e.id for e in assignment.exercises if shown & set(e.components)]

    def affected(self, assignment: Assignment) -> list[str]:
        """Exercises whose code it changes, and those that depend on them."""
        changed = (
            {self.bug.component} if self.bug else set(self.variant.replace if self.variant else ())
        )
        own = [e.id for e in assignment.exercises if changed & set(e.components)]
        below = {id for exercise in own for id in (exercise, *assignment.downstream(exercise))}
        return [e.id for e in assignment.exercises if e.id in below]


def notebook(id: str, view: notebooks.View, replace: dict[str, str] | None = None) -> bytes:
    """A submission's bytes; `replace` gives some components other sources."""
    built = notebooks.build(Course.here(), Course.here().assignment(id), view, replace)
    return notebooks.dump(built).encode()


def of(assignment: Assignment) -> list[Case]:
    """All cases of an assignment. Raises BugError for a bug file with a wrong key."""
    id = assignment.id
    return [
        Case(id, "reference"),
        Case(id, "starter"),
        *(Case(id, "variant", variant=variant) for variant in variants(assignment)),
        *(Case(id, "bug", bug=bug) for bug in mistakes.load(assignment)),
    ]


def handed_in(assignment: Assignment) -> dict[str, bytes]:
    """The files that a correct submission has beside its notebook, apart from a model's."""
    names = [name for exercise in assignment.exercises for name in exercise.files]
    return {name: (assignment.hidden / "handed_in" / name).read_bytes() for name in names}


def variants(assignment: Assignment) -> list[Variant]:
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

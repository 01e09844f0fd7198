"""Builds starter, solution and nbgrader's source notebooks from one text notebook an assignment.

See `text_notebook` for what it is written in. In nbgrader's source, what a student writes is
enclosed in marks, between which nbgrader clears it.
An exercise's hints (`hints.py`) follow its text, except in the solution.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import Exercise
from grader.course.lab import Lab
from grader.notebook import answer_cells, nbgrader_cells

from ...library.components import BEGIN, END, BuildError, Component, stub
from ...notebook.nbgrader_cells import metadata
from . import hints, pictures, provided_code, setup_cell, text_notebook, texts
from .text_notebook import CODE_ANSWER, DRAWN_TABLE, TEXT_ANSWER, SourceCell

View = Literal["starter", "solution", "nbgrader"]
Cell = dict[str, Any]
Notebook = dict[str, Any]

CODE_PLACEHOLDER = "# Your code here."
SETUP = "setup"  # the tag of the cell whose code says where the course is; no output depends on it


def build(
    course: Course, assignment: Assignment, view: View, replace: Mapping[str, str] | None = None
) -> Notebook:
    """Build one notebook, without outputs.

    `replace` gives some components another source: a named bug, a variant, a student's progress.
    Raises BuildError if a directive does not match `course.toml` or the library, and BugError.
    """
    maker = _Maker(course, assignment, view, dict(replace or {}))
    for source in text_notebook.read(assignment):
        maker.add(source)
    maker.finish()
    return of_cells(maker.cells, course={"assignment": assignment.id, "view": view})


def of_cells(cells: list[Cell], **about: Any) -> Notebook:
    """A Python notebook of these cells; `about` is added to its metadata."""
    python = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return {"cells": cells, "metadata": {**about, **python}, "nbformat": 4, "nbformat_minor": 5}


def new_cell(kind: str, id: str, text: str, about: dict[str, Any]) -> Cell:
    """A cell without outputs, `kind` "code" or "markdown"; `about` is its metadata."""
    cell: Cell = {
        "cell_type": kind,
        "id": id,
        "metadata": about,
        "source": text.strip("\n").splitlines(keepends=True),
    }
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def dump(notebook: Notebook) -> str:
    """The notebook as text; equal notebooks give equal text."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


@dataclass
class _Maker:
    """Collects the cells of one view."""

    course: Course
    assignment: Assignment
    view: View
    replace: dict[str, str]
    cells: list[Cell] = field(default_factory=list)
    placed: list[str] = field(default_factory=list)  # components, written parts, checks
    provided: provided_code.ProvidedCode | None = None
    numbered: int = 0  # cells without a name of their own

    @property
    def is_solution(self) -> bool:
        return self.view == "solution"

    def add(self, source: SourceCell) -> None:
        if source.directive:
            getattr(self, source.directive)(source)
        else:
            self.put(source.kind, source.text)

    def put(
        self, kind: str, text: str, nbgrader: dict[str, Any] | None = None, **meta: Any
    ) -> None:
        id = meta.pop("id", "")
        self.numbered += not id
        name = f"{self.assignment.id}-{id or format(self.numbered, '03d')}"
        about = {**({"nbgrader": nbgrader} if nbgrader else {}), **meta}
        self.cells.append(new_cell(kind, name, text, about))

    def finish(self) -> None:
        """Add the last cell. Raises BuildError unless each item was placed as often as listed."""
        expected = []
        for exercise in self.assignment.exercises:
            expected += exercise.components
            expected += [f"{exercise.id}.{part.id}" for part in exercise.parts]
            expected += [f"check {exercise.id}"] if exercise.kind == "code" else []
        for item in sorted(set(expected) | set(self.placed)):
            if expected.count(item) != self.placed.count(item):
                raise BuildError(
                    f"{self.assignment.source}: {item} is placed {self.placed.count(item)} times, "
                    f"but its exercises list it {expected.count(item)} times"
                )
        if self.view == "starter" and not isinstance(self.assignment, Lab):
            self.put("code", setup_cell.hand_in(self.assignment))

    def exercise_of(self, component: str) -> Exercise:
        for exercise in self.assignment.exercises:
            if component in exercise.components:
                return exercise
        raise BuildError(f"{self.assignment.source}: no exercise has the component {component!r}")

    def exercise_named(self, id: str) -> Exercise:
        try:
            return self.assignment.exercise(id)
        except KeyError as error:
            raise BuildError(f"{self.assignment.source}: {error.args[0]}") from None

    def split(self, text: str, mark: str, placeholder: str) -> str:
        """The question with its answer or a placeholder. Raises BuildError if `mark` is missing."""
        question, found, answer = text.partition(mark)
        if not found:
            raise BuildError(f"{self.assignment.source}: no {mark!r} in the cell {text[:60]!r}")
        answer = answer.lstrip("\n")
        if self.view == "nbgrader" and placeholder == answer_cells.WRITTEN:
            answer = f"{BEGIN}\n{answer}\n{END}"
        elif not self.is_solution:
            answer = placeholder
        return question + answer

    # One method per directive.

    def drawing(self, source: SourceCell) -> None:
        made = text_notebook.drawing_of(self.course, self.assignment, source)
        if (DRAWN_TABLE in source.text) != bool(made.table):
            raise BuildError(
                f"{self.assignment.source}: the text of the drawing {made.name!r} must have "
                f"{DRAWN_TABLE} exactly if the drawing has a table"
            )
        text = source.text.replace(DRAWN_TABLE, made.table)
        image = made.image(pictures.of(self.assignment, made))
        self.put("markdown", f"{image}\n\n{text}")

    def title(self, source: SourceCell) -> None:
        header = texts.header(self.course, self.assignment, self.view)
        self.put("markdown", f"{header}\n\n{source.text}")

    def setup(self, source: SourceCell) -> None:
        cell = setup_cell.setup(self.course, self.assignment)
        self.put("code", cell, tags=[SETUP], **setup_cell.FOLDED)
        self.provided = provided_code.collect(self.course, self.assignment)
        self.put("code", "\n".join(self.provided.imports), **setup_cell.FOLDED)

    def exercise(self, source: SourceCell) -> None:
        exercise = self.exercise_named(source.argument)
        parts = [texts.exercise(exercise, self.assignment), source.text, texts.own_bans(exercise)]
        self.put("markdown", "\n\n".join(filter(None, parts)))
        if exercise.hints and not self.is_solution:
            cell = hints.cell(exercise, exercise.hints)
            self.put("markdown", cell, id=hints.cell_id(exercise), tags=["hints"])
        if exercise.kind == "model" and self.view == "nbgrader":
            points = 0 if exercise.bonus else exercise.points
            meta = metadata(
                nbgrader_cells.model(exercise.id), locked=True, task=True, points=points
            )
            self.put("markdown", texts.model_points(exercise), meta)

    def component(self, source: SourceCell) -> None:
        exercise = self.exercise_of(source.argument)
        component = Component.parse(source.argument)
        if self.provided is None:
            raise BuildError(f"{self.assignment.source}: the set-up cell must come first")
        if helpers := self.provided.helpers.get(source.argument):
            self.put("code", "# Given.\n" + "\n\n".join(helpers))
        code = self.replace.get(source.argument)
        if code is None and self.is_solution:
            code = component.source
        if code is None and source.bug:
            code = mistakes.named(self.course, source.bug).apply(component.source)
        if code is None and self.view == "nbgrader":
            code = component.marked
        if code is None:
            label = f"{exercise.tag}: {component.name} is not written yet"
            code = stub(component.source, label, component.name)
        self.placed.append(source.argument)
        grade_id = nbgrader_cells.component(self.assignment.id, component.name)
        self.put("code", code, metadata(grade_id, solution=True))

    def check(self, source: SourceCell) -> None:
        id, _, step = source.argument.partition(" ")
        exercise = self.exercise_named(id)
        if step:
            if step not in exercise.names:
                raise BuildError(f"{self.assignment.source}: exercise {id} has no {step!r}")
            self.put("code", f'check("{exercise.tag}", "{step}")')
            return
        self.placed.append(f"check {exercise.id}")
        # nbgrader has no bonus: a cell of 0 points, whose value it must not see, raises no maximum.
        extra = exercise.bonus and self.view == "nbgrader"
        points = 0 if extra else exercise.points
        meta = metadata(nbgrader_cells.check(exercise.id), grade=True, locked=True, points=points)
        self.put("code", f'check("{exercise.tag}"){";" if extra else ""}', meta)

    def prediction(self, source: SourceCell) -> None:
        self.exercise_named(source.argument)
        text = self.split(source.text, TEXT_ANSWER, answer_cells.PREDICTION)
        self.put("markdown", text, tags=["prediction"])

    def written(self, source: SourceCell) -> None:
        id, _, part_id = source.argument.rpartition(".")
        part = next((p for p in self.exercise_named(id).parts if p.id == part_id), None)
        if part is None:
            raise BuildError(f"{self.assignment.source}: no written part {source.argument!r}")
        self.placed.append(source.argument)
        heading = f"### {source.argument} {part.title}\n\n*{part.points:g} points, at most "
        heading += f"{part.words} words.*\n\n"
        text = self.split(source.text, TEXT_ANSWER, answer_cells.WRITTEN)
        grade_id = nbgrader_cells.written(source.argument)
        meta = metadata(grade_id, grade=True, solution=True, points=part.points)
        self.put("markdown", heading + text, meta)

    def rubric(self, source: SourceCell) -> None:
        if self.is_solution:
            self.put("markdown", f"### Rubric for {source.argument}\n\n{source.text}")

    def student(self, source: SourceCell) -> None:
        self.exercise_named(source.argument)
        self.put("code", self.split(source.text, CODE_ANSWER, CODE_PLACEHOLDER))

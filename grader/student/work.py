"""A saved notebook of an assignment: what the grader finds in it, and what is still open."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..course.assignment import Assignment
from ..course.course import Course
from ..course.exercise import Exercise
from ..course.problem import Problem
from ..course.submission_folder import found_files
from ..notebook import large_outputs, nbgrader_cells, notebook_file, written_answers
from ..notebook.answer_cells import PREDICTION, WRITTEN, Answer, Starter
from ..notebook.collect import Collected, collect
from ..notebook.notebook_file import Cell
from ..seam.loading import load
from . import tree


@dataclass(frozen=True)
class Work:
    """A notebook's file, its bytes when they were read, and its cells."""

    assignment: Assignment
    path: Path
    data: bytes
    cells: list[Cell]

    @cached_property
    def collected(self) -> Collected:
        """The definitions, as the grader collects them."""
        return collect(self.cells, self.names)

    @property
    def names(self) -> list[str]:
        """The names that the grader looks for, in course order."""
        names = [name for exercise in self.assignment.exercises for name in exercise.names]
        return [*names, *(self.assignment.model.entry_points if self.assignment.model else [])]

    @cached_property
    def files(self) -> dict[str, Path]:
        """The files of the assignment beside the notebook, by name."""
        return found_files(self.path.parent, self.assignment.files)

    def is_begun(self, exercise: Exercise) -> bool:
        """Whether every part of the exercise has been tried."""
        if exercise.kind == "written":
            return not any(f"{exercise.id}.{part.id}" in self.unanswered for part in exercise.parts)
        if exercise.kind == "model":
            return not self.missing_model_files
        wanted = [*exercise.names, *exercise.files]
        return {*wanted} <= {*self.collected.written, *self.files}

    @property
    def missing_model_files(self) -> list[str]:
        model = self.assignment.model
        return [name for name in (model.files if model else []) if name not in self.files]

    @cached_property
    def made_up_data(self) -> list[str]:
        """A sentence if the model learned a grammar's sentences, while others are asked for."""
        model, about = self.assignment.model, self.files.get("config.json")
        if model is None or about is None:
            return []
        try:
            data = json.loads(about.read_text(encoding="utf-8"))["data"]
            name, source = data["name"], data["source"]
        except (OSError, ValueError, KeyError, TypeError):
            return []  # the trial of the model says what is wrong with the file
        if source != "generated" or name == model.dataset:
            return []
        return [
            f"the model was trained on {name}, which a grammar made up, and is graded on "
            f"{model.dataset}: train it on real sentences (data/README.md says where they come "
            "from)"
        ]

    def fingerprint(self, exercise: Exercise) -> str:
        """Changes with the code that the exercise's functions need, and with its files."""
        digest = hashlib.sha256()
        for statement in self.collected.closure(exercise.names):
            digest.update(statement.source.encode() + b"\0")
        for name in exercise.files:
            if name in self.files:
                digest.update(hashlib.sha256(self.files[name].read_bytes()).digest())
        return digest.hexdigest()[:16]

    @cached_property
    def knows_starter(self) -> bool:
        """Whether a starter is there to compare with, and not this very notebook."""
        starter = written_answers.starter_path(self.assignment)
        return starter.is_file() and starter.resolve() != self.path.resolve()

    @property
    def notices(self) -> list[str]:
        """The grader's notices about the definitions and the file as a whole."""
        starter = written_answers.starter_cells(self.assignment) if self.knows_starter else ()
        return written_answers.about_definitions(
            Course.here(), self.assignment, self.collected, starter or self.cells
        )

    @cached_property
    def _starter(self) -> Starter | None:
        """The starter to compare with, if it is not the one that the course has."""
        return None if self.knows_starter else _assumed(self.assignment, self.cells)

    @cached_property
    def answers(self) -> dict[str, Answer]:
        """By written part ("1.11.a"), what the grader shows as its answer."""
        return written_answers.found(self.assignment, self.cells, self._starter)

    @property
    def unanswered(self) -> list[str]:
        return [part for part, answer in self.answers.items() if not answer.text]

    @cached_property
    def open_predictions(self) -> int:
        """How many predictions are not filled in."""
        filled, asked = written_answers.predictions(self.assignment, self.cells, self._starter)
        return asked - filled


def _assumed(assignment: Assignment, cells: Sequence[Cell]) -> Starter:
    """A starter to compare with where there is none.

    Its questions are the cells that still have a placeholder, and the headings of the others.
    """
    parts = {
        nbgrader_cells.written(part): f"### {part} "
        for part in (f"{e.id}.{p.id}" for e in assignment.exercises for p in e.parts)
    }
    assumed = []
    for cell in cells:
        text = cell.source.lstrip()
        id = next((id for id, h in parts.items() if id == cell.grade_id or text.startswith(h)), "")
        if id and WRITTEN not in text:
            assumed.append(replace(cell, grade_id=id, source=f"{parts[id]}\n\n{WRITTEN}"))
        elif id or text.startswith("#") or PREDICTION in text:
            assumed.append(replace(cell, grade_id=id))
    return Starter.of(assumed)


def read(assignment: Assignment, given: Path | None = None, most: int | None = None) -> Work:
    """The assignment's notebook, or the one given. Raises Problem.

    If it has more than `most` bytes, it is read without its largest outputs.
    """
    path = tree.notebook(assignment, given)
    try:
        data = path.read_bytes()
        if most is not None and len(data) > most:
            data = large_outputs.within(data, most)
        return Work(assignment, path, data, notebook_file.read(data))
    except OSError as error:
        raise Problem(f"{path}: cannot be read ({error.strerror})") from None
    except notebook_file.InvalidNotebook as error:
        raise Problem(f"{path}: {error}") from None


def loaded(found: Work, besides: Sequence[str] = ()) -> tuple[dict[str, Any], dict[str, str]]:
    """The namespace, and the reason for each missing name; see `seam.loading`.

    `besides`: names that are needed, but that no exercise asks for.
    """
    collected = collect(found.cells, [*found.names, *besides])
    statements = [asdict(statement) for statement in collected.statements]
    job = {
        "statements": statements,
        "unavailable": collected.unavailable,
        "substitutes": [],
        "forbidden": [],
    }
    namespace, unavailable, _ = load(job)
    return namespace, unavailable


@dataclass(frozen=True)
class Notebooks:
    """The interface for a course's own command: the notebooks of an assignment."""

    assignment: Assignment

    @property
    def folder(self) -> Path:
        """The place of the assignment's notebook."""
        return self.assignment.folder

    def functions(
        self, notebook: Path, names: Sequence[str]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """The notebook's definitions, these names included, and why others are missing."""
        return loaded(read(self.assignment, notebook), names)

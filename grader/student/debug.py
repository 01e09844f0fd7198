"""`student debug`: the checklist on one's own model, or on classifiers with known faults."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..course.course import Course
from ..notebook import written_answers
from ..seam import Student, StudentError
from ..seam.executor import Executor
from ..seam.facade import Backend
from ..seam.local import LocalBackend
from . import own_code, work
from .problem import Problem
from .work import Work

if TYPE_CHECKING:
    from course_lib.diagnosis.checklist import Check


@dataclass(frozen=True)
class Model:
    """What a checklist is for: a class, the functions around it, and the list's module."""

    name: str
    functions: tuple[str, ...]
    module: str


CLASSIFIER = Model("EncoderClassifier", ("warmup_rate",), "checklist")
TRANSLATOR = Model(
    "Transformer",
    (
        *("shift_targets", "label_smoothed_loss", "translation_step", "uncached_step"),
        *("start_cache", "cached_step"),
    ),
    "translator_checklist",
)
MODELS = {"a3": CLASSIFIER, "a4": TRANSLATOR}


def of_notebook(given: Path) -> list[Check]:
    """The checklist for the model that a notebook of `MODELS` defines. Raises Problem."""
    found = _read(given)
    model = MODELS[found.assignment.id]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return _asked(found, model, LocalBackend(Executor(*own_code.loaded(found))))
    except StudentError as error:
        exercises = [e.id for e in found.assignment.exercises]
        last = next(e.id for e in found.assignment.exercises if model.name in e.names)
        where = f", {error.where}" if error.where else ""
        raise Problem(
            f"{given}: {model.name} cannot be run ({error.kind}: {error.message}{where}); "
            f"write exercises {exercises[0]} to {last} first, or fix this error"
        ) from None


def _read(given: Path) -> Work:
    """The notebook as that of the assignment it looks like. Raises Problem if that has no list."""
    course = Course.here()
    found = work.read(course.assignment(next(iter(MODELS))), given)
    other = written_answers.looks_like(course, found.assignment, found.collected)
    if other and other not in MODELS:
        raise Problem(
            f"{given}: this looks like the notebook of assignment {other}; there are checklists "
            "for the classifier of assignment 3 and the translator of assignment 4"
        )
    return work.read(course.assignment(other), given) if other else found


def _asked(found: Work, model: Model, backend: Backend) -> list[Check]:
    """The checklist for functions that are loaded already. Raises StudentError."""
    from course_lib.diagnosis.checklist import Check

    written = [name for name in model.functions if name not in found.collected.unwritten]
    functions = ", ".join(f"{name!r}: student.get({name!r})" for name in written)
    student = Student(backend)
    student.begin()
    getattr(student, model.name).get()  # raises StudentError if it is missing
    module = f"__import__('course_lib.diagnosis.{model.module}', fromlist=['course_lib'])"
    made: list[dict[str, Any]] = student.make(
        f"{module}.of_class(student[{model.name!r}], {{{functions}}})"
    ).get()
    return [Check(**line) for line in made]


def of_known_faults(seed: int = 0) -> dict[str, list[Check]]:
    """The checklist for every model in `course_lib.diagnosis.broken_classifiers`, by fault."""
    import torch

    from course_lib.diagnosis import checklist
    from course_lib.diagnosis.broken_classifiers import FAULTS, broken_classifier

    token_ids = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, 0, 0, 0]])
    labels = torch.tensor([0, 1])
    return {
        fault: checklist.run(broken_classifier(fault, seed), token_ids, labels) for fault in FAULTS
    }

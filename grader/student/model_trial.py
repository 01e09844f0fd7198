"""Tries a trained model as the grader will: the notebook's own functions load and ask it."""

from __future__ import annotations

from typing import Any

from ..checking.exercise import ExerciseMark
from ..checking.messages import Message
from ..checking.raised import explain
from ..checking.session import FAILED, PASSED, TestResult
from ..checking.shown import describe
from ..course.assignment import Assignment
from ..course.exercise import ModelPart
from ..course.submission_folder import FOLDER
from ..seam import Student, StudentError

ID = "model"  # of the trial, among the ids of tests
TEXTS = ["A man in a red shirt is playing the guitar.", "The film is not good."]


def result(student: Student, assignment: Assignment) -> TestResult:
    """The trial as a test of the first exercise that trains a model."""
    assert assignment.model is not None
    loader, function = assignment.model.entry_points
    exercise = next(e.id for e in assignment.exercises if e.kind == "model")
    title = f"`{loader}` loads the submitted files; `{function}` answers two texts."
    found = _message(student, assignment.model)
    outcome = FAILED if found else PASSED
    return TestResult(ID, ExerciseMark(exercise, 0, title), True, outcome, found, 0.0)


def _message(student: Student, model: ModelPart) -> Message | None:
    """None if the model in the folder `submission` answers; otherwise what is wrong."""
    loader, function = model.entry_points
    expected = f"a list with a {model.answer} for each text"
    try:
        student.begin()
        handle = student.make(f"student[{loader!r}]({FOLDER!r})")
        answer = student.call(getattr(student, function), handle, TEXTS).value
    except StudentError as error:
        found = explain(error, model.entry_points)
        return found if found.got else Message(expected, "nothing")
    return None if _fits(answer, model.answer) else Message(expected, describe(answer))


def _fits(answer: Any, wanted: str) -> bool:
    values = answer.tolist() if hasattr(answer, "tolist") else answer
    kind = str if wanted == "text" else int
    return (
        isinstance(values, (list, tuple))
        and len(values) == len(TEXTS)
        and all(isinstance(value, kind) for value in values)
    )

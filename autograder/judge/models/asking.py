"""Asks a handed-in model for its answers, in a worker that never sees what is wanted.

The files are laid into the worker's own folder, the notebook's functions are called there, and
every call has the time that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from course_lib.course.exercise import ModelPart
from course_lib.seam import Student, StudentError
from course_lib.seam.errors import TIMEOUT
from course_lib.seam.facade import Backend, Handle

from .measure import Measure, Unusable


class Worker(Backend, Protocol):
    """A backend that tells what its other side has cost so far."""

    def clock(self) -> float:
        """Seconds of CPU time, from any beginning; of the wall where nothing tells them."""
        ...


Open = Callable[[], AbstractContextManager[Worker]]

FOLDER = "handed_in"
LAID_DOWN = (".safetensors", ".json")  # answers that were handed in stay with the judge
PIECE = 8 * 2**20  # bytes of a file that cross at once
LOAD_SECONDS = 30.0
LEAST_SECONDS = 5.0  # for a call, however little time is left
CALL_SECONDS = 30.0  # a call is made larger when the model is fast enough to answer within this


@dataclass
class Asked:
    """Answers in the order in which the texts were asked, and the seconds that they cost.

    Seconds of the worker's processor: how many answers there are depends on the model, not on what
    else the machine has to do.
    """

    answers: list[Any] = field(default_factory=list)
    seconds: float = 0.0


def ask(
    worker: Worker,
    files: dict[str, bytes],
    part: ModelPart,
    measure: Measure,
    texts: Sequence[str],
    seconds: float,
) -> Asked:
    """The model's answers to the first of these texts, as far as the time goes; one at least.

    Raises Unusable or StudentError when there is none, or when an answer is no answer.
    """
    loader, function = part.entry_points
    student = Student(worker)
    student.begin()
    _lay_down(student, {name: d for name, d in files.items() if name.endswith(LAID_DOWN)})
    if loader not in student.names():
        raise Unusable(f"the notebook has no function {loader}(folder)")
    model: Handle = student.make(f"student[{loader!r}]({FOLDER!r})", deadline=LOAD_SECONDS)
    asked, started = Asked(), worker.clock()
    until = started + seconds
    while len(asked.answers) < len(texts) and not (asked.answers and worker.clock() > until):
        begin = len(asked.answers)
        some = list(texts[begin : begin + how_many(asked, measure)])
        target = getattr(student, function)
        deadline = max(LEAST_SECONDS, until - worker.clock())
        try:
            answer = student.call(target, model, some, deadline=deadline)
        except StudentError as error:
            if asked.answers and error.kind == TIMEOUT:
                break  # what there is counts
            raise
        asked.answers += measure.read(answer.value, len(some), function)
        asked.seconds = worker.clock() - started
    return asked


def how_many(asked: Asked, measure: Measure) -> int:
    """Texts of the next call: few at first, so that a slow model is not left without an answer."""
    enough = len(asked.answers) * CALL_SECONDS >= measure.most * asked.seconds
    return measure.most if asked.answers and enough else measure.first


def _lay_down(student: Student, files: dict[str, bytes]) -> None:
    """Write the files into the worker's own folder, in pieces that a message can carry."""
    student.make("__import__('os').makedirs(folder, exist_ok=True)", folder=FOLDER)
    for name, data in files.items():
        for start in range(0, len(data), PIECE):
            student.make(
                "open(place, mode).write(piece.tobytes())",
                deadline=LOAD_SECONDS,
                place=f"{FOLDER}/{name}",
                mode="ab" if start else "wb",
                piece=np.frombuffer(data[start : start + PIECE], dtype=np.uint8),
            )

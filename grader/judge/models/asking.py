"""Runs a submitted model in a worker, which never sees the expected answers.

The files are copied into the worker's folder, the functions of the notebook, or the course's own,
are called there, and each call may use the time that is left.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from grader.course.exercise import Exercise, ModelPart
from grader.seam import Student, StudentError
from grader.seam.errors import TIMEOUT
from grader.seam.facade import Backend, Handle

from .scorer import HiddenLabels, Scorer, Unusable


class Worker(Backend, Protocol):
    """A backend that reports how much time its worker has used."""

    def clock(self) -> float:
        """Seconds of CPU time from an arbitrary start; wall-clock seconds without /proc."""
        ...


Open = Callable[[], AbstractContextManager[Worker]]


@dataclass(frozen=True)
class Grading:
    """One submitted model, and what it is scored with.

    `open_worker` opens a worker with the student's code, `open_own` one with the course's.
    """

    files: dict[str, bytes]
    part: ModelPart
    scorer: Scorer
    hidden: HiddenLabels
    seed: int
    open_worker: Open
    open_own: Open
    exercises: Sequence[Exercise] = ()


FOLDER = "handed_in"
COPIED = (".safetensors", ".json")  # submitted answers stay with the judge
PIECE = 8 * 2**20  # bytes of a file per message
LOAD_SECONDS = 30.0
MIN_SECONDS = 5.0  # for a call, however little time is left
CALL_SECONDS = 30.0  # calls get as large as the model can answer within this


@dataclass
class Answers:
    """Answers in the order of the texts, and the seconds they took.

    Seconds are the worker's CPU time, so that the number of answers depends on the model and not on
    how busy the machine is.
    """

    answers: list[Any] = field(default_factory=list)
    seconds: float = 0.0


def ask(
    worker: Worker,
    files: dict[str, bytes],
    part: ModelPart,
    scorer: Scorer,
    texts: Sequence[str],
    seconds: float,
    most: int | None = None,
) -> Answers:
    """The model's answers to as many of these texts as fit into `seconds`, in order; at least one.

    A call gets at most `most` texts, by default those of the scorer: it must fit into memory.

    Raises Unusable or StudentError if there is no answer, or an invalid one.
    """
    loader, function = part.entry_points
    student = Student(worker)
    student.begin()
    _copy_files(student, {name: d for name, d in files.items() if name.endswith(COPIED)})
    if loader not in student.names():
        raise Unusable(f"the notebook has no function {loader}(folder)")
    model: Handle = student.make(f"student[{loader!r}]({FOLDER!r})", deadline=LOAD_SECONDS)
    asked, started = Answers(), worker.clock()
    until = started + seconds
    while len(asked.answers) < len(texts) and not (asked.answers and worker.clock() > until):
        begin = len(asked.answers)
        some = list(texts[begin : begin + how_many(asked, scorer.first, most or scorer.most)])
        target = getattr(student, function)
        deadline = max(MIN_SECONDS, until - worker.clock())
        try:
            answer = student.call(target, model, some, deadline=deadline)
        except StudentError as error:
            if asked.answers and error.kind == TIMEOUT:
                break  # the answers so far count
            raise
        asked.answers += scorer.read(answer.value, len(some), function)
        asked.seconds = worker.clock() - started
    return asked


def how_many(asked: Answers, first: int, most: int) -> int:
    """Texts in the next call: few at first, then as many as a call answers in its time."""
    count = len(asked.answers)
    fitting = int(count * CALL_SECONDS / max(asked.seconds, 1e-3))
    return min(max(first, fitting), most)


def _copy_files(student: Student, files: dict[str, bytes]) -> None:
    """Write the files into the worker's folder, in pieces that fit into a message."""
    student.make("__import__('os').makedirs(folder, exist_ok=True)", folder=FOLDER)
    for name, data in files.items():
        for start in range(0, len(data), PIECE):
            student.make(
                "open(path, mode).write(piece.tobytes())",
                deadline=LOAD_SECONDS,
                path=f"{FOLDER}/{name}",
                mode="ab" if start else "wb",
                piece=np.frombuffer(data[start : start + PIECE], dtype=np.uint8),
            )

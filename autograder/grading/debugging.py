"""Runs the checklist on a student's classifier, in the sandbox, and on models with known faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_lib.course.syllabus import Assignment, Syllabus
from course_lib.diagnosis.checklist import Check
from course_lib.seam import Student

if TYPE_CHECKING:
    from ..judge.grade import OpenWorker

ASSIGNMENT, CLASS, RATE = "a3", "EncoderClassifier", "warmup_rate"
SECONDS = 30.0


def of_notebook(data: bytes, syllabus: Syllabus) -> list[Check]:
    """The checklist for the classifier that a notebook defines, run in its own worker.

    Raises InvalidNotebook, or StudentError if the classifier cannot be built or called.
    """
    from . import judge_process, warm_processes

    with warm_processes.started(syllabus, [ASSIGNMENT], min_tier="D") as workers:
        assignment = syllabus.assignment(ASSIGNMENT)
        return asked(data, assignment, judge_process.opener(workers[ASSIGNMENT], assignment))


def asked(data: bytes, assignment: Assignment, open_worker: OpenWorker) -> list[Check]:
    """The same, in a worker from `open_worker`."""
    from ..judge.grade import Load
    from ..notebook.collect import collect
    from ..notebook.notebook_file import read

    collected = collect(read(data), [n for e in assignment.exercises for n in e.names])
    rate = "None" if RATE in collected.unwritten else f"student.get({RATE!r})"
    with open_worker(Load(collected.statements, collected.unavailable)) as worker:
        student = Student(worker)
        student.begin()
        getattr(student, CLASS).get()  # raises StudentError if it is missing
        source = f"of_class(student[{CLASS!r}], {rate})"
        made = student.make(f"{_import('diagnosis.checklist')}.{source}", deadline=SECONDS)
        found: list[dict[str, Any]] = made.get()
    return [Check(**line) for line in found]


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


def _import(module: str) -> str:
    return f"__import__('course_lib.{module}', fromlist=['course_lib'])"

"""Writes what students get in the exam room: the notebook, its visible checks and `course_lib`.

DIR/assignments/exam/exam.ipynb   the notebook, whose set-up cell finds the rest
DIR/assignments/exam/public_tests the visible checks
DIR/course_lib                    with stubs in place of every exercise, as the exam asks for some

The same as in a release, but with `exam.toml`, and without any answer.
"""

from __future__ import annotations

from pathlib import Path

from grader.course.syllabus import EXAM, ROOT, Assignment, Syllabus

from ..library import student_tree
from ..library.components import BuildError
from .views import notebooks


def write(syllabus: Syllabus, folder: Path) -> Path:
    """Write the room's files into an empty folder; returns the notebook's path.

    Raises BuildError if the folder is not empty or the course has no exam.
    """
    exam = of(syllabus)
    if folder.exists() and any(folder.iterdir()):
        raise BuildError(f"{folder}: is not empty; give another folder with --to")
    student_tree.write(syllabus, folder, EXAM)
    path = folder / "assignments" / EXAM / f"{EXAM}.ipynb"
    starter = notebooks.build(syllabus, exam, "starter")
    path.write_text(notebooks.dump(starter), encoding="utf-8")
    return path


def write_answers(syllabus: Syllabus, folder: Path) -> Path:
    """Write the model answers, without outputs; returns the notebook's path. Raises BuildError."""
    path = folder / f"{EXAM}_answers.ipynb"
    folder.mkdir(parents=True, exist_ok=True)
    solution = notebooks.build(syllabus, of(syllabus), "solution")
    path.write_text(notebooks.dump(solution), encoding="utf-8")
    return path


def of(syllabus: Syllabus) -> Assignment:
    """The exam. Raises BuildError if there is none."""
    if syllabus.exam is None:
        raise BuildError(f"{ROOT}: there is no {EXAM}.toml, so this course has no coding exam")
    return syllabus.exam

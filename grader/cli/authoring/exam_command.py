"""`course exam`: what students get in the exam room, or the model answers.

DIR/assignments/exam/exam.ipynb   the notebook, whose set-up cell finds the rest
DIR/assignments/exam/public_tests the visible checks
DIR/course_lib                    with stubs in place of every exercise, as the exam asks for some

The same as in a release, but with `exam.toml`, and without any answer.
"""

import json
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...authoring.views import notebooks
from ...course.course_file import EXAM_FILE
from ...library import student_tree
from ...library.components import BuildError
from .. import EXIT_OK
from .authoring_options import Exam


def run(options: Exam) -> int:
    """Write the exam, or its model answers. Raises BuildError and BugError."""
    to = options.to
    written = write_answers if options.answers else write_exam
    notebook = written(Course.here(), to)
    if options.json:
        print(json.dumps({"notebook": str(notebook)}))
    elif options.answers:
        print(f"{notebook}: the model answers; keep them to yourself")
    else:
        print(
            f"{notebook}; hand out all of {options.to}, collect exam.ipynb, grade it: course grade"
        )
    return EXIT_OK


def write_exam(course: Course, folder: Path) -> Path:
    """Write the room's files into an empty folder; returns the notebook's path.

    Raises BuildError if the folder is not empty or the course has no exam.
    """
    exam = _exam(course)
    if folder.exists() and any(folder.iterdir()):
        raise BuildError(f"{folder}: is not empty; give another folder with --to")
    student_tree.write(course, folder, exam.id)
    path = folder / exam.starter.relative_to(course.root)
    starter = notebooks.build(course, exam, "starter")
    path.write_text(notebooks.dump(starter), encoding="utf-8")
    return path


def write_answers(course: Course, folder: Path) -> Path:
    """Write the model answers, without outputs; returns the notebook's path. Raises BuildError."""
    exam = _exam(course)
    path = folder / f"{exam.id}_answers.ipynb"
    folder.mkdir(parents=True, exist_ok=True)
    solution = notebooks.build(course, exam, "solution")
    path.write_text(notebooks.dump(solution), encoding="utf-8")
    return path


def _exam(course: Course) -> Assignment:
    """The exam. Raises BuildError if there is none."""
    if course.exam is None:
        raise BuildError(
            f"{course.root}: there is no {EXAM_FILE}, so this course has no coding exam"
        )
    return course.exam

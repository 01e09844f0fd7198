"""An nbgrader course folder: its gradebook, which must fit an assignment, and its commands."""

import contextlib
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.assignment import Assignment
from grader.notebook import nbgrader_cells

from ...course.problem import Problem
from ...gradebook.database import errors

if TYPE_CHECKING:
    from nbgrader.api import Gradebook
    from nbgrader.coursedir import CourseDirectory

LOCK_SECONDS = 5  # SQLite's own, which nbgrader does not change


def configured(folder: Path) -> "CourseDirectory":
    """The course folder as its `nbgrader_config.py` describes it. Raises NbgraderError."""
    from nbgrader.apps import NbGrader

    config = folder / "nbgrader_config.py"
    if not config.is_file():
        raise NbgraderError(
            f"{folder}: no nbgrader_config.py in it; give the folder of an nbgrader course, such "
            f"as `course build --nbgrader {folder}` writes"
        )
    app = NbGrader(load_cwd_config=False, log_level="CRITICAL")
    path = [*sys.path]
    try:
        app.initialize([], root=str(folder.resolve()))
    except SystemExit:
        raise NbgraderError(f"{config}: nbgrader does not accept it; correct it first") from None
    finally:
        sys.path[:] = path  # nbgrader puts the working directory first
    database = app.coursedir.db_url.removeprefix("sqlite:///")
    if "://" not in database and not Path(database).is_file():  # nbgrader would create it
        raise NbgraderError(
            f"{database}: there is no gradebook yet; run `nbgrader generate_assignment` in {folder}"
        )
    return app.coursedir


@contextlib.contextmanager
def opened(course: "CourseDirectory") -> "Iterator[Gradebook]":
    """nbgrader's gradebook. Raises GradebookError, one sentence, if the database fails."""
    from nbgrader.api import Gradebook
    from sqlalchemy.exc import SAWarning, SQLAlchemyError

    try:
        with warnings.catch_warnings(), Gradebook(course.db_url, course.course_id) as book:
            warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own queries
            yield book
    except SQLAlchemyError as error:
        text = errors.sentence(error, course.db_url, LOCK_SECONDS)
        raise errors.GradebookError(text) from None


def maxima(assignment: Assignment) -> dict[str, float]:
    """The points of every graded cell by its name: 0 for a bonus, which raises no maximum."""
    found: dict[str, float] = {}
    for exercise in assignment.exercises:
        scale = 0 if exercise.bonus else 1
        if exercise.kind == "written":
            for part in exercise.parts:
                found[nbgrader_cells.written(f"{exercise.id}.{part.id}")] = scale * part.points
        else:
            name = nbgrader_cells.model if exercise.kind == "model" else nbgrader_cells.check
            found[name(exercise.id)] = scale * exercise.points
    return found


def check(book: "Gradebook", assignment: Assignment, folder: Path) -> None:
    """Raises NbgraderError unless the gradebook has this assignment's cells, with our points."""
    from nbgrader.api import MissingEntry

    try:
        notebook = book.find_notebook(assignment.id, assignment.id)
    except MissingEntry:
        raise NbgraderError(
            f"{folder}: {assignment.id} is not in its gradebook; run `nbgrader generate_assignment "
            f"{assignment.id}` there first"
        ) from None
    cells: list[Any] = [*notebook.grade_cells, *notebook.task_cells]
    found = {cell.name: float(cell.max_score) for cell in cells}
    wrong = [name for name, points in maxima(assignment).items() if found.get(name) != points]
    if wrong:
        raise NbgraderError(
            f"{folder}: the gradebook's {assignment.id} lacks {', '.join(wrong)} with the points "
            f"of course.toml; run `course build {assignment.id} --nbgrader {folder}`, then "
            f"`nbgrader generate_assignment {assignment.id} --force` there"
        )


# Everything that nbgrader's `autograde` does, but for running cells and for the scores: it would
# take those from outputs, which without a run are whatever the student saved.
BOOKKEEPING = (
    "--Execute.enabled=False",
    "--SaveAutoGrades.enabled=False",
    "--AssignLatePenalties.enabled=False",
    "--force",
)


_SAID = re.compile(  # the first sentence of a warning, on one or more lines
    r"^\[\w+ \| (?:WARNING|ERROR|CRITICAL)\] (?!Removing|No notebooks)"
    r"(.+?(?:\n    \S.*?)*?)(?:[.!]+(?=\s)|\n(?! )|\Z)",
    re.MULTILINE,
)


class NbgraderError(Problem):
    """nbgrader's folder or gradebook does not fit what was asked; says what to do."""

    output = ""  # what nbgrader printed, if it ran

    def about(self, place: str) -> str:
        """The first warning that nbgrader printed after it had named a place; "" if none."""
        said = _SAID.search(self.output.partition(place)[2] or self.output)
        return " ".join(said[1].split()) if said else ""


def nbgrader(arguments: list[str], course: Path, **variables: str) -> str:
    """Run nbgrader with more environment variables; what it printed.

    Raises NbgraderError with its last output if it fails.
    """
    command = [sys.executable, "-m", "nbgrader", *arguments]
    scripts = str(Path(sys.executable).parent)  # nbgrader calls `alembic` by its bare name
    env = os.environ | {
        "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")]),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    done = subprocess.run(
        command,
        cwd=course,
        env=env | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        error = NbgraderError(f"nbgrader {arguments[0]} failed:\n{done.stdout[-2000:]}")
        error.output = done.stdout
        raise error
    return done.stdout

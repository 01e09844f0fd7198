"""Creates an nbgrader course folder and runs nbgrader in it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.course.assignment import Assignment
from grader.exchange.for_nbgrader import command


@contextlib.contextmanager
def made(assignment: Assignment) -> Iterator[Path]:
    """An nbgrader course folder with the assignment generated from our starter."""
    with tempfile.TemporaryDirectory(prefix="nbgrader-") as name:
        course = Path(name)
        source = course / "source" / assignment.id
        source.mkdir(parents=True)
        starter = assignment.starter
        shutil.copy(starter, source)
        (course / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
        run(["generate_assignment", assignment.id, "--create"], course)
        yield course


# Starters have stubs already: nbgrader must not replace solution cells with its own.
CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "transformer"
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.ExecutePreprocessor.timeout = 600
"""


def run(arguments: list[str], course: Path) -> str:
    """Run nbgrader in a course folder. Raises NbgraderError with its last output if it fails."""
    return command.run(arguments, course, COURSE_PROFILE="tiny")  # training takes seconds

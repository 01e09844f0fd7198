"""Creates an nbgrader course folder and runs nbgrader in it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from course_lib.course.syllabus import ROOT, Assignment


@contextlib.contextmanager
def made(assignment: Assignment) -> Iterator[Path]:
    """An nbgrader course folder with the assignment generated from our starter."""
    with tempfile.TemporaryDirectory(prefix="nbgrader-") as name:
        course = Path(name)
        source = course / "source" / assignment.id
        source.mkdir(parents=True)
        starter = ROOT / "assignments" / assignment.id / f"{assignment.id}.ipynb"
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
    """Run nbgrader in a course folder. Raises RuntimeError with its last output if it fails."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    scripts = str(Path(sys.executable).parent)  # nbgrader calls `alembic` by its bare name
    env = os.environ | {
        "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")]),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "COURSE_PROFILE": "tiny",  # notebooks that train take seconds
    }
    done = subprocess.run(
        command, cwd=course, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise RuntimeError(f"nbgrader {arguments[0]} failed:\n{done.stdout[-2000:]}")
    return done.stdout

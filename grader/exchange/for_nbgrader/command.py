"""Runs nbgrader's own command line in a course folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ...course.problem import Problem

# Everything that nbgrader's `autograde` does, but for running cells and for the scores: it would
# take those from outputs, which without a run are whatever the student saved.
BOOKKEEPING = (
    "--Execute.enabled=False",
    "--SaveAutoGrades.enabled=False",
    "--AssignLatePenalties.enabled=False",
    "--force",
)


class NbgraderError(Problem):
    """nbgrader's folder or gradebook does not fit what was asked; says what to do."""


def run(arguments: list[str], course: Path, **variables: str) -> str:
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
        raise NbgraderError(f"nbgrader {arguments[0]} failed:\n{done.stdout[-2000:]}")
    return done.stdout

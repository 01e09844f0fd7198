"""A notebook's first and last cell, and the badges that open it on Colab and Kaggle."""

from __future__ import annotations

from typing import Any

from grader.course.assignment import Assignment
from grader.course.course import Course

GITHUB = "https://github.com/"
COLAB, KAGGLE = "https://colab.research.google.com", "https://kaggle.com"
PICTURES = {
    "Colab": f"{COLAB}/assets/colab-badge.svg",
    "Kaggle": f"{KAGGLE}/static/images/open-in-kaggle.svg",
}

CELL = """\
# @title Set-up: run this first. It finds or downloads the course.
import glob
import os
import sys

COURSE = "{address}"  # {comment}
DRIVE = False  # True on Colab: your Google Drive keeps a training that a disconnect interrupts
PLACES = [".", "..", "../..", "../../..", "course", "course/*", *sys.path]
PLACES += ["/content/*", "/content/course/*", "/kaggle/*/*", "/kaggle/*/*/*"]


class SetupError(Exception):
    def _render_traceback_(self):  # one sentence instead of a traceback
        return [f"Set-up: {{self}}"]


def find_course():
    home = "grader/student/notebook_home.py"
    found = (folder for place in PLACES for folder in glob.glob(place))
    return next((folder for folder in found if os.path.isfile(f"{{folder}}/{{home}}")), "")


def fetch_course():
    import io, urllib.request, zipfile

    try:
        with urllib.request.urlopen(COURSE, timeout=60) as answer:
            zipfile.ZipFile(io.BytesIO(answer.read())).extractall("course")
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise SetupError(f"{{COURSE}}: {{error}}. {offline}" if COURSE else "{unset}") from None
    return find_course()


if not (home := find_course() or fetch_course()):
    raise SetupError(f"{{COURSE}} has no course that fits this notebook. {wrong}")
sys.path.insert(0, os.path.abspath(home))
from grader.student.notebook_home import begin

begin("{id}", made_for="{version}", drive=DRIVE)

import matplotlib.pyplot as plt
import numpy as np
{torch}
from grader.checking.notebook import check, describe, needs"""

UNSET = (
    "The course was not found. Open this notebook inside the course folder, or ask your "
    "instructor for the download address (COURSE)."
)
OFFLINE = "Is the address right and this machine online? (On Kaggle: Settings, Internet.)"
WRONG = "Ask your instructor for the right address."
# Jupyter shows the first line of such a cell, Colab its title.
FOLDED: dict[str, Any] = {"jupyter": {"source_hidden": True}, "cellView": "form"}


def setup(course: Course, assignment: Assignment) -> str:
    """The set-up cell, which works on Colab, on Kaggle, on one's own machine and offline."""
    address = archive(course)
    torch = "import torch\nfrom torch import nn\n" if "torch" in assignment.imports else ""
    return CELL.format(
        id=assignment.id,
        version=course.version,
        address=address,
        comment="where to download the course" if address else "the instructor sets this",
        torch=torch,
        unset=UNSET,
        offline=OFFLINE,
        wrong=WRONG,
    )


def archive(course: Course) -> str:
    """The address of the students' repository as a zip, or "" while it is not configured."""
    repository = course.facts.student_repository.rstrip("/")
    branch = f"archive/refs/heads/{course.facts.student_branch}.zip"
    return f"{repository}/{branch}" if on_github(course) else repository


def hand_in(assignment: Assignment) -> str:
    """The last cell of a starter."""
    return (
        "# Hand in: save the notebook, then run this cell (half a minute). It packs your work and\n"
        "# tests the archive; on Colab it also downloads it.\n"
        "from grader.student.hand_in import hand_in\n\n"
        f'hand_in("{assignment.id}");'
    )


def opened_in(course: Course, assignment: Assignment) -> list[tuple[str, str]]:
    """Where the starter can be opened, and the address; nowhere without a repository on GitHub."""
    return opened_at(course, assignment.starter.relative_to(course.root).as_posix())


def opened_at(course: Course, notebook: str) -> list[tuple[str, str]]:
    """The same of any notebook, by its path in the students' repository."""
    if not on_github(course):
        return []
    repository = course.facts.student_repository.rstrip("/")
    path = f"blob/{course.facts.student_branch}/{notebook}"
    colab = f"{COLAB}/github/{repository.removeprefix(GITHUB)}/{path}"
    return [("Colab", colab), ("Kaggle", f"{KAGGLE}/kernels/welcome?src={repository}/{path}")]


def badges(course: Course, assignment: Assignment) -> list[str]:
    """One line that opens the starter on Colab and Kaggle; none without a repository on GitHub."""
    shown = [
        f"[![Open in {name}]({PICTURES[name]})]({address})"
        for name, address in opened_in(course, assignment)
    ]
    return [" ".join(shown), ""] if shown else []


def on_github(course: Course) -> bool:
    """Whether students fetch the course from a repository on GitHub."""
    address = course.facts.student_repository
    return address.startswith(GITHUB) and not address.endswith(".zip")

"""A notebook's first and last cell, and the badges that open it on Colab and Kaggle."""

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
import glob, io, os, sys, urllib.request as web, zipfile
COURSE = "{address}"  # {comment}
PLACES = "{places}".split() + sys.path
homes = lambda: [os.path.dirname(os.path.abspath(file)) \
for place in PLACES for file in glob.glob(f"{{place}}/course.toml")]
try:
    homes() or zipfile.ZipFile(io.BytesIO(\
web.urlopen(COURSE, timeout=60).read())).extractall("course")
    sys.path[:0] = [home + entry for home in homes()[:1] for entry in ("/grader.zip", "")]
    from grader.student.notebook_home import begin
except Exception as error:
    why = f"{{COURSE}} gave no course that fits this notebook ({{error}}). {wrong}" \
if COURSE else "{unset}"
    raise type("SetupError", (Exception,), \
{{"_render_traceback_": lambda error: [f"Set-up: {{error}}"]}})(why) from None
begin("{id}", made_for="{version}", drive=False)  # {drive}
import matplotlib.pyplot as plt, numpy as np{torch}
from grader.checking.notebook import check, describe, needs"""

PLACES = (  # of the course: around the notebook, and where Colab and Kaggle have files
    ". .. ../.. ../../.. course course/* /content/* /content/course/* /kaggle/*/* /kaggle/*/*/*"
)
UNSET = (
    "The course was not found. Open this notebook inside the course folder, or ask your "
    "instructor for the download address (COURSE)."
)
WRONG = "Is the address right and this machine online? (On Kaggle: Settings, Internet.)"
DRIVE = "drive=True, on Colab: Google Drive keeps a training that a disconnect interrupts"
# Jupyter shows the first line of such a cell, Colab its title.
FOLDED: dict[str, Any] = {"jupyter": {"source_hidden": True}, "cellView": "form"}


def setup(course: Course, assignment: Assignment) -> str:
    """The set-up cell, which works on Colab, on Kaggle, on one's own machine and offline."""
    address = archive(course)
    return CELL.format(
        id=assignment.id,
        version=course.version,
        address=address,
        comment="where to download the course" if address else "the instructor sets this",
        places=PLACES,
        torch=", torch, torch.nn as nn" if "torch" in assignment.imports else "",
        unset=UNSET,
        wrong=WRONG,
        drive=DRIVE,
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

"""Builds the site: the book at the top, the decks of slides in `slides/`."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from book import CHECKOUT
from grader.course.course import Course
from grader.course.problem import Problem

from . import DECKS, parts_shown, quotations
from .decks.slides import DECK
from .notebooks import lecture_notebook
from .notebooks.lecture_notebook import FOLDER as NOTEBOOKS

LECTURES = CHECKOUT / "lectures"
# What pages and decks load of MathJax, as the beginnings of paths.
MATHJAX = (
    "core.js",
    "startup.js",
    "input/tex",
    "output/chtml",
    "a11y/assis",
    "ui/",
)
REVEAL = ("LICENSE", "dist/reveal.js", "dist/reveal.css", "dist/reset.css", "plugin/notes")
INSTRUCTORS = "teach"  # pages with exams and answers, which the site of a week does not have
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


class SiteError(Problem):
    """The site cannot be built; the message holds Sphinx's own, with file and line."""

    exit_code = 1


def build(
    to: Path,
    cache: Path,
    week: int,
    log: Callable[[str], None],
    parts: Collection[int] = (),
) -> int:
    """Write the site to `to`; returns the number of its pages.

    Pages and cells that did not change come from `cache`. Answers whose last late day is not over
    when `week` begins stay hidden, and instructors' pages are left out; 0 shows all. Lectures are
    those of `parts`, or all. Every warning is an error: raises SiteError.
    """
    if week:
        shutil.rmtree(to / INSTRUCTORS, ignore_errors=True)
    log("the book")
    _run("html", to, cache, week, parts)
    log("the slides")
    _run(DECK, to / DECKS, cache, week, parts)
    lecture_notebook.write(Course.here(), parts_shown.shown(LECTURES, parts), to / NOTEBOOKS, week)
    _leave_out(to)
    for folder in (to, to / DECKS):
        (folder / ".buildinfo").unlink(missing_ok=True)
        shutil.rmtree(folder / ".doctrees", ignore_errors=True)
    return sum(1 for page in to.rglob("*.html") if "_static" not in page.parts)


def _leave_out(to: Path) -> None:
    """Remove what nothing loads of MathJax (15 MB) and reveal.js; decks use the book's MathJax."""
    decks = to / DECKS / "_static"
    shutil.rmtree(decks / "mathjax", ignore_errors=True)
    _keep(to / "_static/mathjax", MATHJAX)
    _keep(decks / "revealjs", REVEAL)


def _keep(folder: Path, beginnings: tuple[str, ...]) -> None:
    """Remove the files whose paths in the folder begin with none of these."""
    for path in sorted(folder.rglob("*"), reverse=True):
        inside = path.relative_to(folder).as_posix()
        if path.is_file() and not inside.startswith(beginnings):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _run(builder: str, to: Path, cache: Path, week: int, parts: Collection[int]) -> None:
    cells = (cache / "cells").resolve()
    cells.mkdir(parents=True, exist_ok=True)
    options = [f"{quotations.WEEK}={week}", f"nb_execution_cache_path={cells}"]
    options += [f"{parts_shown.PARTS}={parts_shown.setting(parts)}"]
    command = [sys.executable, "-m", "sphinx", "-b", builder, "-q", "-W", "--keep-going"]
    command += ["-d", str(cache / builder / _name(to))]
    command += [part for option in options for part in ("-D", option)]
    tags = [tag for tag, given in (("deck", builder == DECK), ("students", week)) if given]
    command += [part for tag in tags for part in ("-t", tag)]
    command += [str(LECTURES), str(to)]
    path = os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH")]))
    quiet = {"PYTHONPATH": path, "PYDEVD_DISABLE_FILE_VALIDATION": "1", "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **quiet})
    if done.returncode:
        said = _COLORS.sub("", done.stderr).strip()
        raise SiteError(f"the {builder} pages have mistakes:\n{said}")


def _name(to: Path) -> str:
    """The name of what is kept for a folder: pages point to figures that lie in it."""
    return hashlib.sha256(str(to.resolve()).encode()).hexdigest()[:12]

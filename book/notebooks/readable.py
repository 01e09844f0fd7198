"""The executed notebooks of the lectures, to be read where the repository is read.

They have the page's code with its figures as pictures, and need no set-up: they run in the course's
own folder. They mention what only the built page can do, and the command that builds it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from grader.authoring.course_build import Target
from grader.authoring.views import myst_text, notebooks, setup_cell
from grader.authoring.views.notebooks import Notebook
from grader.course.course import Course
from grader.library.components import Component

from ..quizzes import quiz
from ..weeks import step_of
from . import lecture_notebook
from .glued import KEPT
from .lecture_notebook import FOLDER, Cell

BEGINS = """\
# Figures as pictures. `glue` shows a figure, and keeps a number for the text below.
import matplotlib.pyplot as plt

from book.notebooks.glued import kept_or_shown as glue

%config InlineBackend.figure_formats = ["png"]
plt.style.use("../figures.mplstyle")"""
MOVABLE = "*A figure that you can move by mouse or keyboard is here in the built page.*"
_VECTORS = re.compile(r"^%config InlineBackend\.figure_formats = .*\n?", re.M)
_SHOWN = re.compile(r'print_source\("(?P<reference>[\w.:]+)"\)')
_PAGE = re.compile(r"(?<=\]\(\.\./)(?P<page>\w+)\.html")  # as a notebook of the site links it
_RESULTS = re.compile(r"\b(\w+)\.json\b")
_CODE = re.compile(r"`([\w-]+)`")


@dataclass(frozen=True)
class LectureTarget(Target):
    """An executed part: numbers that its code computes are filled into its text."""

    def text_with(self, executed: Notebook) -> str:
        values = dict(_values(executed))
        notebook: Notebook = json.loads(self.text)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = [
                    _CODE.sub(lambda found: values.get(found[1], found[0]), line)
                    for line in cell["source"]
                ]
        return notebooks.dump(notebook)


def targets(course: Course) -> Iterator[Target]:
    """Each part as a notebook that the build executes."""
    lectures = course.root / "lectures"
    for lecture in sorted(lectures.glob("part*.md")):
        path = lectures / FOLDER / f"{lecture.stem}.ipynb"
        yield LectureTarget(path, notebooks.dump(build(course, lecture)), is_executed=True)


def page(lecture: Path) -> str:
    """A page without code, for a folder beside the notebooks."""
    source = myst_text.without_front_matter(lecture.read_text(encoding="utf-8"))
    made = (c for block in myst_text.blocks(source) for c in lecture_notebook.cells_of(block))
    return "\n\n".join(_PAGE.sub(_linked, text).strip() for _, text, _ in made) + "\n"


def build(course: Course, lecture: Path) -> Notebook:
    """The notebook, without outputs. Raises ValueError for a directive that does not end."""
    made = []
    for number, (kind, text, tags) in enumerate(_cells(course, lecture), 1):
        about: dict[str, Any] = {"tags": tags} if tags else {}
        if tags:
            about |= {"jupyter": {"source_hidden": True}, "cellView": "form"}  # Jupyter's, Colab's
        id = f"{lecture.stem.partition('_')[0]}-{number:03}"
        made.append(notebooks.new_cell(kind, id, text, about))
    reads = dict(_read(course, made))
    return notebooks.of_cells(made, course={"lecture": lecture.stem, "reads": reads})


def _cells(course: Course, lecture: Path) -> Iterator[Cell]:
    source = myst_text.without_front_matter(lecture.read_text(encoding="utf-8"))
    begun = False
    for block in myst_text.blocks(source):
        if block.name == "movable":
            yield "markdown", MOVABLE, []
        for kind, text, tags in lecture_notebook.cells_of(block):
            if kind == "markdown":
                yield kind, _PAGE.sub(_linked, text), []
            elif shown := _SHOWN.fullmatch(text):
                yield "markdown", _quoted(shown["reference"]), []
            elif code := _VECTORS.sub("", text).strip("\n"):
                yield kind, code, tags
            if not begun:
                yield "markdown", _others(course, lecture), []
                yield "code", BEGINS, ["hide-input"]
                begun = True
    yield "markdown", f"---\n\n{_others(course, lecture)}", []


def _linked(found: re.Match[str]) -> str:
    page = found["page"]
    if page.startswith("part"):
        return f"{FOLDER}/{page}.ipynb"
    return f"quizzes/{page.removeprefix('quiz_')}.md" if page.startswith("quiz") else f"{page}.md"


def _quoted(reference: str) -> str:
    module, _, name = reference.partition(":")
    path = f"{module.replace('.', '/')}.py"
    code = Component.parse(reference).source
    return f"`{name}` in [{path}](../../{path}):\n\n```python\n{code.strip()}\n```"


def _others(course: Course, lecture: Path) -> str:
    """Where a reader goes from here."""
    number = int(lecture.stem.partition("_")[0].removeprefix("part"))
    asked = step_of(number)
    quizzed = [f"[quiz {number}](../quizzes/{asked}.md)"] if asked in quiz.names() else []
    order = [part for week in course.weeks for part in week.whole]
    after = order[order.index(number) + 1 :][:1] if number in order else []
    then = [
        f"[part {part}]({page.stem}.ipynb)"
        for part in after
        for page in lecture.parent.glob(f"part{part}_*.md")
    ]
    links = [*quizzed, *(f"next: {one}" for one in then), "[study plan](../README.md)"]
    opened = setup_cell.opened_at(course, f"lectures/{FOLDER}/{lecture.stem}.ipynb")
    links += [f"[open in {name}]({address})" for name, address in opened]
    return " · ".join([*links, "slides and figures to move: `course site build`"])


def _read(course: Course, cells: list[notebooks.Cell]) -> Iterator[tuple[str, str]]:
    """The results files that code names, each with its hash: new figures are drawn anew."""
    code = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for name in sorted({*_RESULTS.findall(code)}):
        path = course.root / "results" / f"{name}.json"
        if path.is_file():
            yield path.name, sha256(path.read_bytes()).hexdigest()


def _values(executed: Notebook) -> Iterator[tuple[str, str]]:
    """The numbers and words that the code kept for the text, by name."""
    for cell in executed["cells"]:
        for output in cell.get("outputs", ()):
            if kept := output.get("data", {}).get(f"{KEPT}text/plain"):
                yield output["metadata"]["scrapbook"]["name"], "".join(kept).strip("'")

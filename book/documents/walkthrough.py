"""The walkthrough: a notebook that leads from the paper's sentences to the lines that say them.

Its text notebook, `solutions/walkthrough.md`, names the components as the text notebooks of the
assignments do. Each code cell with a component's source is followed by one that verifies it.
"""

import re
from collections.abc import Iterator

from grader.authoring.views import notebooks, provided_code, setup_cell, text_notebook
from grader.authoring.views.text_notebook import SourceCell
from grader.course.course import Course
from grader.library.components import BuildError, Component

from .. import outline

SOURCE, BUILT = "solutions/walkthrough.md", "lectures/walkthrough.ipynb"
SET_UP_AS = "a4"  # the assignment whose set-up cell it has: all that it needs is there by then
MOST_QUOTED = 60  # words of the paper under one heading
_QUOTED = re.compile(r"^> .*$", re.M)


def notebook(course: Course) -> notebooks.Notebook:
    """The notebook, without outputs. Raises BuildError for a component that is not there."""
    cells = [
        notebooks.new_cell(kind, f"walkthrough-{number:03}", text, {"tags": tags} if tags else {})
        for number, (kind, text, tags) in enumerate(_cells(course), 1)
    ]
    return notebooks.of_cells(cells, course={"lecture": "walkthrough"})


def text(course: Course) -> str:
    """The notebook's file."""
    return notebooks.dump(notebook(course))


def components(course: Course) -> list[str]:
    """The components that it quotes, in its order."""
    cells = text_notebook.parse(course.root, SOURCE)
    return [cell.argument for cell in cells if cell.directive == "component"]


def _cells(course: Course) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, text and tags of each cell."""
    needed = provided_code.needed_by(components(course), ())
    for source in text_notebook.parse(course.root, SOURCE):
        _check(source)
        if source.directive == "setup":
            cell = setup_cell.setup(course, course.assignment(SET_UP_AS))
            yield "code", cell, [notebooks.SETUP, "hide-input"]
            yield "code", "\n".join(needed.imports), ["hide-input"]
        elif source.directive == "component":
            if helpers := needed.helpers.get(source.argument):
                yield "code", "\n\n".join(helpers), ["hide-input"]
            yield "code", Component.parse(source.argument).source, []
        else:
            yield source.kind, source.text, []


def _check(cell: SourceCell) -> None:
    """Raise BuildError for another directive, a section that is none, and a long quotation."""
    if cell.directive not in ("", "setup", "component"):
        raise BuildError(f"{SOURCE}: a walkthrough has no {cell.directive!r}")
    if cell.kind != "markdown":
        return
    if missing := outline.missing(cell.text):
        raise BuildError(f"{SOURCE}: the paper has no {missing[0]}")
    quoted = sum(len(line.split()) - 1 for line in _QUOTED.findall(cell.text))
    if quoted > MOST_QUOTED:
        raise BuildError(f"{SOURCE}: {quoted} words of the paper in one cell: {cell.text[:60]!r}")

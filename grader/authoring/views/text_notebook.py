"""Reads the text notebook of an assignment, from which its notebooks are built.

The text notebook (`solutions/aN.py`, in the format `py:percent`) names components of `course_lib`
instead of copying them. The line that begins a cell says what the builder puts there:

    title="a1"  setup="a1"  exercise="1.4"  component="course_lib.x:name"  check="1.4"
    prediction="1.7"  written="1.11.a"  rubric="1.11.a"  student="1.6"  drawing="split_heads"

`check="4.11 is_final"` checks one step of an exercise. A component's cell with `bug="a2/NAME"`
shows the source with this named bug instead of a stub: an exercise that asks for a repair.
Everything after `<!-- answer -->` (text) or `# answer` (code) appears only in the solution.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...library.components import BuildError
from .pictures import Drawing

TEXT_ANSWER, CODE_ANSWER = "<!-- answer -->", "# answer"
DRAWN_TABLE = "<!-- table -->"  # where a drawing's text has the drawing's table
DIRECTIVES = (
    "title setup exercise component check prediction written rubric student drawing".split()
)

HEADER = re.compile(r"(?m)^# %%(.*)$")  # begins a cell
GIVEN = re.compile(r'(\w+)="([^"]*)"')  # in such a line
COMMENT = re.compile(r"(?m)^# ?")  # begins each line of a Markdown cell


@dataclass(frozen=True)
class SourceCell:
    """One cell of the text notebook: at most one directive and its argument."""

    kind: str  # "markdown" or "code"
    text: str
    directive: str = ""
    argument: str = ""
    bug: str = ""


@lru_cache(maxsize=8)
def parse(root: Path, source: str) -> tuple[SourceCell, ...]:
    """The cells of a text notebook. Raises BuildError for a cell that cannot be read."""
    _, *parts = HEADER.split((root / source).read_text(encoding="utf-8"))
    return tuple(_cell(source, *part) for part in zip(parts[::2], parts[1::2], strict=True))


def _cell(source: str, header: str, body: str) -> SourceCell:
    """A cell from the line that begins it, after the `# %%`, and the lines below that."""
    kind = "markdown" if header.startswith(" [markdown]") else "code"
    given = dict(GIVEN.findall(header))
    directives = {name: argument for name, argument in given.items() if name in DIRECTIVES}
    if len(directives) > 1:
        raise BuildError(f"{source}: a cell with several directives: {directives}")
    if left := GIVEN.sub("", header.removeprefix(" [markdown]")).strip():
        raise BuildError(f'{source}: `# %%{header}`: {left!r} is neither [markdown] nor NAME="…"')
    if kind == "markdown":
        body = COMMENT.sub("", body)
    directive, argument = next(iter(directives.items()), ("", ""))
    return SourceCell(kind, body.strip("\n"), directive, argument, given.get("bug", ""))


def read(assignment: Assignment) -> tuple[SourceCell, ...]:
    """The cells of the assignment's text notebook. Raises BuildError if it is not there."""
    if not (assignment.root / assignment.source).exists():
        raise BuildError(f"{assignment.source}: not found, but course.toml names it")
    return parse(assignment.root, assignment.source)


def drawing_of(course: Course, assignment: Assignment, source: SourceCell) -> Drawing:
    """The drawing that a cell of the text notebook names. Raises BuildError if there is none."""
    draw = course.plugin("drawing")
    if draw is None:
        raise BuildError(f"{assignment.source}: course.toml names no plugin `drawing`")
    try:
        return draw(source.argument)
    except ValueError as error:
        raise BuildError(f"{assignment.source}: {error}") from None

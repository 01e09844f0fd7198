"""Reads the text notebook of an assignment, from which its notebooks are built.

The text notebook (`solutions/aN.md`, in MyST Markdown) names components of `course_lib` instead of
copying them. A line `+++ {"exercise": "1.4"}` begins a cell of text, options the code of a
`{code-cell}`; they say what the builder puts there:

    +++ {"…": "…"}       title  exercise  prediction  written  rubric  drawing
    :component: "…"      setup  component  check  student

`:check: "4.11 is_final"` checks one step of an exercise. A component's cell with `:bug: "a2/NAME"`
shows the source with this named bug instead of a stub: an exercise that asks for a repair.
Everything after `<!-- answer -->` (text) or `# answer` (code) appears only in the solution.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...library.components import BuildError
from . import myst_text
from .pictures import Drawing

TEXT_ANSWER, CODE_ANSWER = "<!-- answer -->", "# answer"
DRAWN_TABLE = "<!-- table -->"  # where a drawing's text has the drawing's table
DIRECTIVES = (
    "title setup exercise component check prediction written rubric student drawing".split()
)

BREAK = re.compile(r"^\+\+\+(.*)$", re.MULTILINE)  # begins a cell of text


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
    text = myst_text.without_front_matter((root / source).read_text(encoding="utf-8"))
    try:
        return tuple(_cells(text))
    except ValueError as error:
        raise BuildError(f"{source}: {error}") from None


def _cells(text: str) -> Iterator[SourceCell]:
    for block in myst_text.blocks(text):
        if block.name == myst_text.CODE:
            yield _cell("code", block.content, dict(block.options))
        elif block.name:
            raise ValueError(f"a text notebook has no {{{block.name}}}")
        else:
            above, *parts = BREAK.split(block.content)
            if above:
                yield _cell("markdown", above, {})
            for facts, below in zip(parts[::2], parts[1::2], strict=True):
                yield _cell("markdown", below, _facts(facts))


def _facts(line: str) -> dict[str, str]:
    """The facts after `+++`. Raises ValueError for anything but an object of strings."""
    try:
        facts = json.loads(line or "{}")
    except ValueError:
        facts = None
    if not isinstance(facts, dict) or not all(isinstance(one, str) for one in facts.values()):
        raise ValueError(f'`+++{line}` is neither `+++` nor `+++ {{"NAME": "…"}}`')
    return facts


def _cell(kind: str, text: str, facts: dict[str, str]) -> SourceCell:
    """A cell from its text and its facts. Raises ValueError for unknown or conflicting ones."""
    if unknown := facts.keys() - {*DIRECTIVES, "bug"}:
        raise ValueError(f"a cell has {', '.join(sorted(unknown))}: neither directive nor bug")
    directives = [(name, facts[name]) for name in facts if name in DIRECTIVES]
    if len(directives) > 1:
        raise ValueError(f"a cell with several directives: {facts}")
    directive, argument = next(iter(directives), ("", ""))
    return SourceCell(kind, text.strip("\n"), directive, argument, facts.get("bug", ""))


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

"""The attachments of a written answer in its notebook: pictures, and the code that made outputs.

An answer's code cells are those between the heading or graded cell above it and itself, and those
that the student put between it and the next one.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from ..course.assignment import Assignment
from . import written_answers
from .notebook_file import Cell


class Attachments(NamedTuple):
    """Hashes of what a student put beside an answer, "" for nothing.

    `pictures` covers those that hang on its cell, and the code that drew others; `printed` the code
    that only printed. Outputs are in neither: to run a notebook again changes nothing.
    """

    pictures: str = ""
    printed: str = ""


def attachments(assignment: Assignment, cells: Sequence[Cell]) -> dict[str, Attachments]:
    """The attachments of each written part ("1.11.a")."""
    given = {cell.source for cell in written_answers.starter_cells(assignment)}
    found = {}
    for part, answer in written_answers.found(assignment, cells).items():
        own = [c for c in code_of(assignment, cells, answer.cells) if c.source not in given]
        pictures = [cell.attached for cell in answer.cells if cell.attached]
        pictures += [code.source for code in own if code.drew]
        printed = [code.source for code in own if code.printed and not code.drew]
        found[part] = Attachments(_hash(pictures), _hash(printed))
    return found


def code_of(assignment: Assignment, cells: Sequence[Cell], answer: Sequence[Cell]) -> list[Cell]:
    """The code cells of an answer, in the order of the notebook."""
    given = {cell.source for cell in written_answers.starter_cells(assignment)}
    found = set[Cell]()
    for at in map(cells.index, answer):
        found |= {*_until_next(reversed(cells[:at]))}
        found |= {code for code in _until_next(cells[at + 1 :]) if code.source not in given}
    return sorted(found - {*answer}, key=lambda cell: cell.number)


def _until_next(cells: Sequence[Cell] | Iterator[Cell]) -> Iterator[Cell]:
    near = takewhile(lambda cell: not cell.grade_id and not _is_heading(cell), cells)
    return (cell for cell in near if cell.kind == "code")


def _is_heading(cell: Cell) -> bool:
    return cell.kind == "markdown" and cell.source.lstrip().startswith("#")


def _hash(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest() if texts else ""

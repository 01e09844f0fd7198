"""The written answers of a notebook, and notices about the file as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from ..course.assignment import Assignment
from ..course.course import Course
from . import nbgrader_cells, notebook_file
from .collect import Collected
from .foreign_imports import foreign_imports
from .notebook_file import Cell

# placeholders for text that students write: the build inserts them, the grader strips them
PREDICTION = "*Your prediction, before you run the cell.*"
WRITTEN = "*Write your answer here.*"
MAX_ANSWER = 20_000  # characters kept of one answer


def starter_path(assignment: Assignment) -> Path:
    """The starter notebook as handed out.

    A student's tree holds it a second time, in `starter/`, as the first copy is worked on.
    """
    kept = assignment.folder / "starter" / assignment.starter.name
    return kept if kept.is_file() else assignment.starter


def starter_cells(assignment: Assignment) -> tuple[Cell, ...]:
    """The cells of the starter notebook."""
    return _read(starter_path(assignment))


@lru_cache(maxsize=8)
def _read(path: Path) -> tuple[Cell, ...]:
    return tuple(notebook_file.read(path.read_bytes()))


def written(assignment: Assignment, cells: list[Cell]) -> dict[str, str]:
    """The answer to each written part: `{"1.11.a": "…"}`."""
    starter = {cell.grade_id: cell.source for cell in starter_cells(assignment)}
    return {
        id: _answer(cell.source if cell else "", starter.get(nbgrader_cells.written(id), ""))
        for id, cell in cells_of_parts(assignment, cells).items()
    }


def cells_of_parts(assignment: Assignment, cells: Sequence[Cell]) -> dict[str, Cell | None]:
    """Each written part's cell, whose text begins with the question."""
    submitted = {cell.grade_id: cell for cell in cells if cell.kind == "markdown" and cell.source}
    ids = (f"{e.id}.{part.id}" for e in assignment.exercises for part in e.parts)
    return {
        id: submitted.get(nbgrader_cells.written(id)) or _under_heading(cells, id) for id in ids
    }


def notices(
    course: Course, assignment: Assignment, cells: list[Cell], collected: Collected
) -> list[str]:
    """Notices about the whole file: a mix-up, nothing written, missing names, predictions."""
    starter = starter_cells(assignment)
    found = about_definitions(course, assignment, collected, starter)
    filled, asked = predictions(assignment, cells)
    return [*found, f"{filled} of {asked} predictions are filled in"] if asked else found


def about_definitions(
    course: Course, assignment: Assignment, collected: Collected, starter: Iterable[Cell]
) -> list[str]:
    """The same without predictions; what the cells of the `starter` say already is left out."""
    given = "\n".join(cell.source for cell in starter)
    found = [n for n in collected.notices if not _about_given_line(n, given)]
    names = [name for exercise in assignment.exercises for name in exercise.names]
    missing = [n for n in names if n not in {*collected.defined_in, *collected.unavailable}]
    begun = set(names) - set(missing) - collected.unwritten
    other = looks_like(course, assignment, collected)
    if other:
        found.insert(0, f"this looks like the notebook of assignment {other}, not {assignment.id}")
    elif not begun and not collected.unavailable:
        found.insert(0, "nothing is written in this file; was it saved before it was submitted?")
    found += dict.fromkeys(foreign_imports(course, assignment, collected, names).values())
    if missing:
        found.append(f"not found in the notebook: {', '.join(f'`{name}`' for name in missing)}")
    return found


def _about_given_line(notice: str, given: str) -> bool:
    """Whether a notice is about a shell line that the starter itself contains."""
    line = re.search(r"`(.*)` was not run$", notice)
    return bool(line) and line[1] in given  # type: ignore[index]


def looks_like(course: Course, assignment: Assignment, collected: Collected) -> str:
    """Another assignment, if most of its names are defined here and most of this one's are not."""
    bound = {name for statement in collected.statements for name in statement.names}
    names = {a.id: {n for e in a.exercises for n in e.names} for a in course.notebooks}
    shares = {id: _share(own, bound) for id, own in names.items()}
    best = max(shares, key=lambda id: shares[id])
    return best if shares[assignment.id] < 0.5 <= shares[best] else ""


def _share(names: set[str], bound: set[str]) -> float:
    return len(names & bound) / len(names)


def _under_heading(cells: Sequence[Cell], part: str) -> Cell | None:
    for cell in cells:
        if cell.kind == "markdown" and cell.source.lstrip().startswith(f"### {part} "):
            return cell
    return None


def _answer(text: str, question: str) -> str:
    """The text of a cell without the question that the starter put there."""
    asked = {line.strip() for line in question.splitlines()} - {""}  # a blank line ends a paragraph
    lines = [line for line in text.splitlines() if line.strip() not in asked]
    answer = "\n".join(lines).replace(WRITTEN, "").strip()
    return answer[:MAX_ANSWER]


def predictions(assignment: Assignment, cells: list[Cell]) -> tuple[int, int]:
    """How many predictions are filled in, and how many the starter asks for."""
    asked = [c for c in starter_cells(assignment) if PREDICTION in c.source]
    filled = 0
    for question in asked:
        opening = question.source.partition(PREDICTION)[0].strip()
        filled += any(
            c.source.strip().startswith(opening)
            and PREDICTION not in c.source
            and len(c.source.strip()) > len(opening)
            for c in cells
        )
    return filled, len(asked)

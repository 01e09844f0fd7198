"""What a notebook says besides its code: written answers, predictions, and signs of a mix-up."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from course_lib.syllabus import ROOT, Assignment, Syllabus

from ..release.texts import PREDICTION_PLACEHOLDER, WRITTEN_PLACEHOLDER
from . import notebook_file
from .collect import Collected
from .notebook_file import Cell

MAX_ANSWER = 20_000  # characters kept of one answer


@lru_cache(maxsize=8)
def starter_cells(assignment: str) -> tuple[Cell, ...]:
    """The cells of the committed starter notebook."""
    path = ROOT / "assignments" / assignment / f"{assignment}.ipynb"
    return tuple(notebook_file.read(path.read_bytes()))


def attach(assignment: Assignment, cells: list[Cell], exercises: list[dict[str, Any]]) -> None:
    """Put each written answer beside its part, with its number of words."""
    starter = {cell.grade_id: cell.source for cell in starter_cells(assignment.id)}
    submitted = {cell.grade_id: cell.source for cell in cells if cell.kind == "markdown"}
    for entry in exercises:
        for part in entry.get("parts", []):
            grade_id = f"written-{part['id'].replace('.', '-')}"
            text = submitted.get(grade_id) or _under_heading(cells, part["id"])
            answer = _answer(text, starter.get(grade_id, ""))
            part["answer"], part["words"] = answer, len(answer.split())


def notices(
    syllabus: Syllabus, assignment: Assignment, cells: list[Cell], collected: Collected
) -> list[str]:
    """What the report says about the file as a whole."""
    given = "\n".join(cell.source for cell in starter_cells(assignment.id))
    told = [n for n in collected.notices if not _about_given_line(n, given)]
    wanted = [name for exercise in assignment.exercises for name in exercise.names]
    missing = [name for name in wanted if name not in collected.defined_in]
    written = set(wanted) - set(missing) - collected.unwritten
    if not written and not collected.unavailable:
        other = _looks_like(syllabus, assignment, collected)
        told.insert(
            0,
            f"this looks like the notebook of assignment {other}, not {assignment.id}"
            if other
            else "nothing is written in this file; was the notebook saved before it was submitted?",
        )
    elif missing:
        told.append(f"not found in the notebook: {', '.join(f'`{name}`' for name in missing)}")
    filled, asked = _predictions(assignment, cells)
    if asked:
        told.append(f"{filled} of {asked} predictions are filled in")
    return told


def _about_given_line(notice: str, given: str) -> bool:
    """Whether a notice is about a shell line that the starter itself contains."""
    line = re.search(r"`(.*)` was not run$", notice)
    return bool(line) and line[1] in given  # type: ignore[index]


def _looks_like(syllabus: Syllabus, assignment: Assignment, collected: Collected) -> str:
    bound = {name for statement in collected.statements for name in statement.names}
    for other in syllabus.assignments:
        names = {name for exercise in other.exercises for name in exercise.names}
        if other.id != assignment.id and len(names & bound) * 2 >= len(names):
            return other.id
    return ""


def _under_heading(cells: list[Cell], part: str) -> str:
    for cell in cells:
        if cell.kind == "markdown" and cell.source.lstrip().startswith(f"### {part} "):
            return cell.source
    return ""


def _answer(text: str, question: str) -> str:
    """What stands in a cell besides the question that the starter put there."""
    asked = {line.strip() for line in question.splitlines()}
    lines = [line for line in text.splitlines() if line.strip() not in asked]
    answer = "\n".join(lines).replace(WRITTEN_PLACEHOLDER, "").strip()
    return answer[:MAX_ANSWER]


def _predictions(assignment: Assignment, cells: list[Cell]) -> tuple[int, int]:
    asked = [c for c in starter_cells(assignment.id) if PREDICTION_PLACEHOLDER in c.source]
    filled = 0
    for question in asked:
        opening = question.source.partition(PREDICTION_PLACEHOLDER)[0].strip()
        filled += any(
            c.source.strip().startswith(opening)
            and PREDICTION_PLACEHOLDER not in c.source
            and len(c.source.strip()) > len(opening)
            for c in cells
        )
    return filled, len(asked)

"""The written answers of a notebook, notices about the file, and whether anything is written."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from ..course.assignment import Assignment
from ..course.course import Course
from . import nbgrader_cells, notebook_file
from .answer_cells import PREDICTION, Answer, Starter
from .collect import Collected, collect
from .foreign_imports import foreign_imports
from .notebook_file import Cell


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


def _given(assignment: Assignment) -> Starter:
    path = starter_path(assignment)
    return _starter(path) if path.is_file() else Starter(())


@lru_cache(maxsize=8)
def _starter(path: Path) -> Starter:
    return Starter.of(_read(path))


def found(
    assignment: Assignment, cells: Sequence[Cell], starter: Starter | None = None
) -> dict[str, Answer]:
    """The answer to each written part ("1.11.a"); `starter`: if it is another than the course's."""
    starter = starter or _given(assignment)
    answers = starter.answers(cells)
    places = {
        part: starter.by_id.get(nbgrader_cells.written(part), starter.by_number.get(part, -1))
        for part in (f"{e.id}.{part.id}" for e in assignment.exercises for part in e.parts)
    }
    return {part: answers.get(place, Answer()) for part, place in places.items()}


def written(assignment: Assignment, cells: Sequence[Cell]) -> dict[str, str]:
    """The text of the answer to each written part."""
    return {part: answer.text for part, answer in found(assignment, cells).items()}


def predictions(
    assignment: Assignment, cells: Sequence[Cell], starter: Starter | None = None
) -> tuple[int, int]:
    """How many predictions are filled in, and how many the starter asks for."""
    starter = starter or _given(assignment)
    asked = [place for place, holder in starter.questions.items() if holder == PREDICTION]
    answers = starter.answers(cells)
    return sum(bool(answers[place].text) for place in asked), len(asked)


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


def is_begun(assignment: Assignment, cells: list[Cell]) -> bool:
    """Whether a graded name is defined, was tried at least, or a written question is answered."""
    names = [name for exercise in assignment.exercises for name in exercise.names]
    found = collect(cells, names)
    tried = (found.defined_in.keys() - found.unwritten) | found.unavailable.keys()
    return bool(tried & set(names)) or any(written(assignment, cells).values())

"""The material next to an answer: its question, the model answer and the rubric.

They are those of the built notebooks: the starter's cell has the question, the executed solution's
the model answer, and a text below it the rubric.
"""

import re
from typing import NamedTuple

from ..course.assignment import Assignment
from ..gradebook.exercise_result import Criterion
from ..notebook import notebook_file, written_answers
from ..notebook.answer_cells import RUBRIC, WRITTEN
from ..notebook.notebook_file import Cell

NUMBERED = re.compile(r"\d+[.)]\s+(?:\((?P<points>\d+(?:\.\d+)?) points?\)\s*)?(?P<text>\S.*)")
ROW = re.compile(r"\|\s*(?P<points>\d+(?:\.\d+)?)\s*\|(?P<text>.+)\|\s*")


class Rubric(NamedTuple):
    """Markdown around the items that a marker ticks; without such items it is all `above`.

    An item is a line of a numbered list, worth one point unless it begins with "(2 points)", or a
    row of a table whose first column has the points.
    """

    above: str
    items: tuple[Criterion, ...] = ()
    below: str = ""


def parsed(text: str, most: float) -> Rubric:
    """The rubric of a question with `most` points; it has items only if they add up to these."""
    lines = text.splitlines()
    found: list[Criterion] = []
    first = last = 0
    for number, line in enumerate(lines):
        if item := NUMBERED.fullmatch(line) or ROW.fullmatch(line):
            first = first if found else number
            found.append(Criterion(text=item["text"].strip(), points=float(item["points"] or 1)))
        elif found and line.startswith(" "):
            longer = {"text": f"{found[-1].text} {line.strip()}"}
            found[-1] = found[-1].model_copy(update=longer)
        elif found and line.strip():
            break
        last = number + 1
    if sum(item.points for item in found) != most:
        return Rubric(text)
    above = [line for line in lines[:first] if not line.startswith("|")]
    return Rubric("\n".join(above).strip(), tuple(found), "\n".join(lines[last:]).strip())


class Reference(NamedTuple):
    """As Markdown; each is "" if the course has none."""

    question: str
    answer: str
    rubric: str


def references(assignment: Assignment) -> dict[str, Reference]:
    """By written part ("1.11.a")."""
    starter = _cells(assignment, solution=False)
    solution = _cells(assignment, solution=True)
    questions = written_answers.found(assignment, starter)
    answers = written_answers.written(assignment, solution) if starter and solution else {}
    rubrics = {cell.source.split(None, 4)[3]: cell.source for cell in solution if _is_rubric(cell)}
    return {
        part: Reference(
            _below_heading("".join(cell.source for cell in question.cells))
            .replace(WRITTEN, "")
            .strip(),
            answers.get(part, ""),
            _below_heading(rubrics.get(part, "")),
        )
        for part, question in questions.items()
    }


def _is_rubric(cell: Cell) -> bool:
    return cell.kind == "markdown" and cell.source.startswith(RUBRIC)


def _below_heading(text: str) -> str:
    return text.partition("\n")[2].strip() if text.startswith("#") else text


def _cells(assignment: Assignment, solution: bool) -> list[Cell]:
    path = assignment.solution if solution else written_answers.starter_path(assignment)
    return notebook_file.read(path.read_bytes()) if path.is_file() else []

"""The material next to an answer: its question, the model answer and the rubric.

They are those of the built notebooks: the starter's cell has the question, the executed solution's
the model answer, and a text below it the rubric.
"""

from typing import NamedTuple

from ...course.assignment import Assignment
from ...notebook import notebook_file, written_answers
from ...notebook.answer_cells import RUBRIC, WRITTEN
from ...notebook.notebook_file import Cell


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

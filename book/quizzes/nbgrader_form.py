"""A quiz as a notebook that nbgrader hands out and grades by itself: one point a question.

A student assigns a letter, a set of letters, a number or a tuple to `answer_2_1`. The visible test
says whether the kind of the value fits. The right answer is only in a hidden test, which
`nbgrader generate_assignment` removes. Its check is a comparison: it runs no code of the student
but the one assignment. The cell of an answer is an ordinary one: nbgrader would put its stub, which
raises, into a cell that it knows as a solution.
"""

from __future__ import annotations

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.notebook.nbgrader_cells import metadata

from .printed import LETTERS
from .quiz import ChoiceQuestion, NumericQuestion, Question, Quiz

HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")
INTRODUCTION = """\
# Quiz {part}: {title}

Write each answer after the equals sign, such as `"B"`, `{{"A", "C"}}`, `12.5` or `(2, 8, 5)`, and
run the cell below it: it says whether the *form* of your answer fits, not whether it is right.
"""


def notebook(quiz: Quiz) -> nbformat.NotebookNode:
    """The source notebook, with hidden tests."""
    cells = [
        _cell(
            new_markdown_cell(INTRODUCTION.format(part=quiz.part, title=quiz.title)),
            f"quiz-{quiz.part}",
            locked=True,
        )
    ]
    for question in quiz.questions:
        cells += _cells(question)
    made = new_notebook(cells=cells)
    made.metadata["kernelspec"] = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    nbformat.validate(made)
    return made


def _cells(question: Question) -> list[nbformat.NotebookNode]:
    name = f"answer_{question.id.replace('.', '_')}"
    number = question.id.replace(".", "-")
    form, right = _form(question, name), _right(question, name)
    test = [*form, HIDDEN[0], right, HIDDEN[1]]
    return [
        _cell(new_markdown_cell(_text(question)), f"question-{number}", locked=True),
        new_code_cell(f"{name} = None", id=f"answer-{number}"),
        _cell(new_code_cell("\n".join(test)), f"test-{number}", grade=True, locked=True, points=1),
    ]


def _text(question: Question) -> str:
    lines = [f"**{question.id}** {question.text.strip()}"]
    if question.code:
        lines.append(f"```python\n{question.code.strip()}\n```")
    if isinstance(question, ChoiceQuestion):
        choices = zip(LETTERS, question.shuffled, strict=False)
        lines.append(
            "\n".join(f"- **{letter}**: {choice.text.strip()}" for letter, choice in choices)
        )
    return "\n\n".join(lines)


def _form(question: Question, name: str) -> list[str]:
    """Lines that fail, with a sentence, for an answer of the wrong kind."""
    if isinstance(question, ChoiceQuestion):
        letters = LETTERS[: len(question.choices)]
        if question.kind == "multiple":
            example = f'{name} = {{"A", "B"}}'
            fits = f'isinstance({name}, set) and {name} and {name} <= set("{letters}")'
        else:
            example = f'{name} = "A"'
            fits = f'isinstance({name}, str) and {name} in list("{letters}")'
    elif isinstance(question, NumericQuestion):
        example = f"{name} = 12.5"
        fits = f"isinstance({name}, (int, float)) and not isinstance({name}, bool)"
    else:
        example = f"{name} = (2, 8, 5)"
        fits = f"isinstance({name}, tuple) and {name} and all(type(n) is int for n in {name})"
    return [f"assert {fits}, 'write it as in: {example}'"]


def _right(question: Question, name: str) -> str:
    if isinstance(question, NumericQuestion):
        within = question.tolerance + 1e-12 * abs(question.answer)
        return f"assert abs({name} - {question.answer!r}) <= {within!r}"
    if isinstance(question, ChoiceQuestion):
        right = [letter for letter, c in zip(LETTERS, question.shuffled, strict=False) if c.right]
        wanted = (
            "{" + ", ".join(map(repr, right)) + "}"
            if question.kind == "multiple"
            else repr(right[0])
        )
        return f"assert {name} == {wanted}"
    return f"assert {name} == {tuple(question.answer)!r}"


def _cell(
    cell: nbformat.NotebookNode,
    id: str,
    *,
    grade: bool = False,
    locked: bool = False,
    points: float | None = None,
) -> nbformat.NotebookNode:
    cell["id"] = id
    cell.metadata["nbgrader"] = metadata(id, grade=grade, locked=locked, points=points)
    return cell

"""A quiz as a notebook that nbgrader hands out and grades by itself: one point a question.

A student assigns a letter, a set of letters, a number or a tuple to `answer_2_1`. The visible test
says whether the kind of the value fits. The right answer is only in a hidden test, which
`nbgrader generate_assignment` removes. Its check is a comparison: it runs no code of the student
but the one assignment. The cell of an answer is an ordinary one: nbgrader would put its stub, which
raises, into a cell that it knows as a solution.
"""

from grader.authoring.views.notebooks import Cell, Notebook, new_cell, of_cells
from grader.notebook.nbgrader_cells import metadata

from .paper_form import LETTERS
from .quiz import ChoiceQuestion, NumericQuestion, Question, Quiz

HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")
INTRODUCTION = """\
# Quiz {part}: {title}

Write each answer after the equals sign, such as `"B"`, `{{"A", "C"}}`, `12.5` or `(2, 8, 5)`, and
run the cell below it: it says whether the *form* of your answer fits, not whether it is right.
"""


def notebook(quiz: Quiz) -> Notebook:
    """The source notebook, with hidden tests."""
    introduction = INTRODUCTION.format(part=quiz.part, title=quiz.title)
    cells = [_locked("markdown", f"quiz-{quiz.part}", introduction)]
    for question in quiz.questions:
        cells += _cells(question)
    return of_cells(cells)


def _cells(question: Question) -> list[Cell]:
    name = f"answer_{question.id.replace('.', '_')}"
    number = question.id.replace(".", "-")
    form, right = _form(question, name), _right(question, name)
    test = "\n".join([*form, HIDDEN[0], right, HIDDEN[1]])
    return [
        _locked("markdown", f"question-{number}", _text(question)),
        new_cell("code", f"answer-{number}", f"{name} = None", {}),
        _locked("code", f"test-{number}", test, grade=True, points=1),
    ]


def _locked(
    kind: str, id: str, text: str, *, grade: bool = False, points: float | None = None
) -> Cell:
    about = metadata(id, grade=grade, locked=True, points=points)
    return new_cell(kind, id, text, {"nbgrader": about})


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

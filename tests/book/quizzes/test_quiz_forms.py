"""The forms of a quiz outside the site: for nbgrader, for paper."""

import json
import re

import pytest
from typer.testing import CliRunner

from book.quizzes import nbgrader_form, printed, quiz
from book.quizzes.quiz import ChoiceQuestion
from grader.authoring.views import notebooks
from grader.cli.app import app

QUIZZES = [quiz.load(name) for name in quiz.names()]


@pytest.mark.parametrize("asked", QUIZZES, ids=lambda asked: asked.name)
def test_right_answers_pass_the_form_and_wrong_ones_fail(asked):
    tests = graded(nbgrader_form.notebook(asked))
    assert len(tests) == len(asked.questions)
    for question, test in zip(asked.questions, tests, strict=True):
        name = f"answer_{question.id.replace('.', '_')}"
        right, wrong = _answers(question)
        exec(test, {name: right})
        with pytest.raises(AssertionError):
            exec(test, {name: wrong})
        with pytest.raises(AssertionError, match="write it as in"):
            exec(test, {name: None})


def graded(notebook):
    """The tests that nbgrader gives points for."""
    cells = [
        cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade")
    ]
    return ["".join(cell["source"]) for cell in cells]


def _answers(question):
    """A right and a wrong answer, of the right kind."""
    if not isinstance(question, ChoiceQuestion):
        return question.answer, question.wrong[0].value
    letters = {printed.LETTERS[n]: c.right for n, c in enumerate(question.shuffled)}
    right = {letter for letter, is_right in letters.items() if is_right}
    if question.kind == "multiple":
        return right, set(letters) - right
    return right.pop(), next(letter for letter, is_right in letters.items() if not is_right)


def test_students_do_not_get_the_hidden_tests():
    """nbgrader's own preprocessor removes them, and the visible test says nothing of the answer."""
    import nbformat  # here, since importing it takes more than a second
    from nbgrader.preprocessors import ClearHiddenTests

    written = notebooks.dump(nbgrader_form.notebook(QUIZZES[1]))
    source = nbformat.reads(written, as_version=4)
    nbformat.validate(source)
    released, _ = ClearHiddenTests().preprocess(source, {})
    nbformat.validate(released)
    text = nbformat.writes(released)
    assert "HIDDEN" not in text
    tests = graded(json.loads(text))
    assert all(re.fullmatch(r"assert isinstance\(.*", test.strip()) for test in tests)
    assert "==" not in "".join(tests)


def test_paper_has_the_answers_apart():
    for asked in QUIZZES:
        sheet, answers = printed.questions(asked), printed.answers(asked)
        for question in asked.questions:
            assert question.text.strip() in sheet
            assert question.why.strip() in answers
            assert question.why.strip() not in sheet
            assert f"**{question.id}** {printed.answer(question)}" in answers


def test_the_command_writes_all_forms(tmp_path):
    done = CliRunner().invoke(app, ["site", "quizzes", "part2", "--to", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "part2.md").is_file()
    assert (tmp_path / "answers" / "part2.md").is_file()
    written = json.loads((tmp_path / "source" / "quiz2" / "quiz2.ipynb").read_text())
    assert len(graded(written)) == len(QUIZZES[1].questions)

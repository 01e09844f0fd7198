"""The quizzes: their answers are what the library computes, and all four forms say the same."""

import contextlib
import functools
import io
import json
import math
import re
from collections import Counter

import in_process
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from book.quizzes import nbgrader_form, paper_form, quiz
from book.quizzes.quiz import ChoiceQuestion, NumericQuestion, ShapeQuestion
from grader.authoring.views import notebooks

QUIZZES = [quiz.load(name) for name in quiz.names()]
QUESTIONS = {question.id: question for asked in QUIZZES for question in asked.questions}
SHOWN = {q.id for q in QUESTIONS.values() if isinstance(q, ChoiceQuestion) and q.computed}


@pytest.fixture(autouse=True)
def _same_numbers():
    torch.manual_seed(0)


def run(source, **names):
    """The names after the code has run."""
    names = {"torch": torch, "nn": nn, "F": F, "math": math, **names}
    exec(source, names)
    return names


def prints(source, **names):
    """The text that the code prints."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        run(source, **names)
    return text.getvalue()


def size(module):
    return sum(parameter.numel() for parameter in module.parameters())


GIVEN = {"run": run, "prints": prints, "size": size, "np": np, "pytest": pytest, "re": re}


@functools.cache
def computed(id):
    """The value of the last line of a question's `computed`."""
    *before, last = QUESTIONS[id].computed.splitlines()
    return eval(last, run("\n".join(before), code=QUESTIONS[id].code, **GIVEN))


def test_every_part_has_a_quiz(course):
    assert [(q.part, q.title) for q in QUIZZES] == [(p.number, p.title) for p in course.parts]
    assert {asked.part: n for asked in QUIZZES if not 6 <= (n := len(asked.questions)) <= 10} == {}
    assert len(QUESTIONS) >= 45
    assert {q.kind for q in QUESTIONS.values()} == {"single", "multiple", "bug", "numeric", "shape"}


@pytest.mark.parametrize(
    "id", [q.id for q in QUESTIONS.values() if isinstance(q, NumericQuestion | ShapeQuestion)]
)
def test_every_number_and_shape_is_computed(id):
    found, asked = computed(id), QUESTIONS[id]
    if isinstance(asked, ShapeQuestion):
        assert found == asked.answer
    else:
        assert asked.is_right(found)
        assert not any(abs(found - wrong.value) <= asked.tolerance + 1e-9 for wrong in asked.wrong)


ASKED = re.compile(r"Give (one|two|three) (decimals?|significant digits)\.")


@pytest.mark.parametrize(
    "asked",
    [q for q in QUESTIONS.values() if isinstance(q, NumericQuestion)],
    ids=lambda asked: asked.id,
)
def test_an_answer_rounded_to_the_digits_asked_is_right(asked):
    found = float(computed(asked.id))
    said = ASKED.search(asked.text)
    if said is None:
        assert asked.is_right(round(found)), "say how many digits to give"
        return
    digits = ["one", "two", "three"].index(said[1]) + 1
    form = f".{digits}f" if said[2].startswith("decimal") else f".{digits - 1}e"
    assert asked.is_right(float(format(found, form)))


@pytest.mark.parametrize("id", sorted(SHOWN))
def test_what_the_right_choice_states_is_so(id):
    asked = QUESTIONS[id]
    assert re.search(r"assert|pytest\.raises", asked.computed)
    run(asked.computed, code=asked.code, choices=asked.choices, **GIVEN)


def test_every_bug_is_shown_to_be_one():
    bugs = {q.id for q in QUESTIONS.values() if q.kind == "bug"}
    assert len(bugs) >= 5
    assert bugs <= SHOWN


def test_the_place_of_an_answer_tells_nothing():
    """Neither the order nor the length of the choices gives the right one away."""
    single = [q for q in QUESTIONS.values() if q.kind in ("single", "bug")]
    places = Counter([choice.right for choice in q.shuffled].index(True) for q in single)
    assert max(places.values()) < len(single) / 2
    assert set(places) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("right = true, ", ""), "question 1.1: 0 choices are right"),
        (('kind = "numeric"', 'kind = "essay"'), "question 1.2: the kind is one of"),
        (("answer = 512", "answer = 1"), "question 1.2: the wrong number 1 counts as right"),
        (("hint =", "hnit ="), "question 1.2: unknown key 'hnit'"),
        (('id = "1.4"', 'id = "1.5"'), "question 4 has the id 1.5, not 1.4"),
        (("part = 1\n", "part = \n"), "not valid TOML"),
    ],
)
def test_a_mistake_in_a_quiz_is_one_sentence(tmp_path, change, said):
    text = (quiz.FOLDER / "part1.toml").read_text(encoding="utf-8")
    assert change[0] in text
    (tmp_path / "part1.toml").write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(quiz.QuizError, match=r"part1\.toml") as caught:
        quiz.load("part1", tmp_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_quiz_is_one_sentence():
    with pytest.raises(quiz.QuizError, match="there are part1, part2"):
        quiz.load("part99")


# The forms of a quiz outside the site: for nbgrader, for paper.


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
    letters = {paper_form.LETTERS[n]: c.right for n, c in enumerate(question.shuffled)}
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
        sheet, answers = paper_form.questions(asked), paper_form.answers(asked)
        for question in asked.questions:
            assert question.text.strip() in sheet
            assert question.why.strip() in answers
            assert question.why.strip() not in sheet
            assert f"**{question.id}** {paper_form.answer(question)}" in answers


def test_the_command_writes_all_forms(tmp_path):
    in_process.printed("site", "quizzes", "part2", "--to", tmp_path)
    assert (tmp_path / "part2.md").is_file()
    assert (tmp_path / "answers" / "part2.md").is_file()
    written = json.loads((tmp_path / "source" / "quiz2" / "quiz2.ipynb").read_text())
    assert len(graded(written)) == len(QUIZZES[1].questions)

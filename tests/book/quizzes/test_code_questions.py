"""Exam questions on code: a program finds every answer, and the answer is the right one."""

from collections import Counter

import pytest

from book.quizzes import code_question
from book.quizzes.code_question import CodeQuestion, plain

QUESTIONS = code_question.load()
WRONG = [one for one in QUESTIONS if one.bug]


def named(question):
    return f"{question.part}-{question.of.name}-{'wrong' if question.bug else 'returns'}"


def test_every_part_has_questions_of_both_kinds(course):
    kinds = Counter((one.part, bool(one.bug)) for one in QUESTIONS)
    for part in course.parts:
        assert kinds[part.number, True] >= 2
        assert kinds[part.number, False] >= 2


@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_the_code_that_is_shown_gives_the_answer(question):
    """Its comments and docstrings are gone, and it is what the library has, but for the mistake."""
    assert not [line for line in question.code.splitlines() if line.lstrip().startswith("#")]
    assert "  # " not in question.code
    assert '"""' not in question.code
    as_shown = CodeQuestion(
        part=question.part,
        points=1,
        component=f"{question.of.module}:{question.of.name}",
        given=f"{question.code}\n{question.given}",
        call=question.call,
    )
    assert as_shown.returned() == question.returned()


@pytest.mark.parametrize("question", WRONG, ids=named)
def test_the_wrong_line_is_the_only_one(question):
    [(number, said, meant)] = question.wrong_lines
    lines = question.code.splitlines()
    assert said in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(said, meant)
    assert "\n".join(lines) == plain(question.of.source)
    assert question.returned() != question.returned(wrong=False)


def test_an_answer_does_not_depend_on_the_run():
    assert [one.returned() for one in QUESTIONS] == [one.returned() for one in QUESTIONS]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"call": "softmax(np.zeros(2))"}, "gives the same with and without softmax_global"),
        ({"mistake": "a1/softmax_unknown"}, "there is no named bug a1/softmax_unknown"),
    ],
)
def test_a_question_that_asks_nothing_is_one_sentence(change, said, tmp_path, monkeypatch):
    asked = {"mistake": "a1/softmax_global_maximum", "call": "softmax(np.zeros((2, 2)))"} | change
    keys = "".join(f"{key} = '{value}'\n" for key, value in asked.items())
    file = tmp_path / "questions.toml"
    file.write_text(f"[[questions]]\npart = 2\npoints = 1\n{keys}", encoding="utf-8")
    monkeypatch.setattr(code_question, "FILE", file)
    code_question.load.cache_clear()
    try:
        with pytest.raises(Exception, match=said) as caught:
            code_question.load()
        assert "\n" not in str(caught.value)
    finally:
        code_question.load.cache_clear()

"""Quizzes in the real widget: jupyterquiz shows them in a browser and knows the answers."""

import pytest

from book.quizzes import quiz, widget
from book.quizzes.quiz import NumericQuestion

jupyterquiz = pytest.importorskip("jupyterquiz", reason="`pip install -e .[instructor]` brings it")


@pytest.fixture
def shown(chromium, monkeypatch):
    """A function that shows a quiz in a page, as a notebook would after its cell has run."""
    outputs = []
    monkeypatch.setitem(jupyterquiz.display_quiz.__globals__, "display", outputs.append)
    made = chromium.new_page()

    def show(asked):
        outputs.clear()
        jupyterquiz.display_quiz(widget.questions(asked))
        html, script = (output.data for output in outputs)
        made.set_content(f"<!doctype html><body>{html}</div></body>")
        made.add_script_tag(content=script)
        made.locator(".Quiz").first.wait_for(state="attached")
        return made

    yield show
    made.close()


@pytest.mark.parametrize("name", quiz.names())
def test_the_widget_shows_every_question_and_tells_right_from_wrong(name, shown):
    asked = quiz.load(name)
    boxes = shown(asked).locator(".Quiz")
    assert boxes.count() == len(asked.questions)
    for place, question in enumerate(asked.questions):
        box = boxes.nth(place)
        if isinstance(question, NumericQuestion):
            for number in (question.answer + 1e6, question.answer):
                box.locator("input").fill(f"{number:.10g}")
                box.locator("input").press("Enter")
                assert is_correct(box) == (number == question.answer)
        else:
            for right in ("false", "true"):
                box.locator(f"label[data-correct={right}]").first.click()
                assert is_correct(box) == (right == "true")


def is_correct(box):
    kinds = box.locator(".Feedback").get_attribute("class").split()
    assert len({"correct", "incorrect"} & set(kinds)) == 1, kinds
    return "correct" in kinds

"""A quiz in a page of the site, and what the students' site leaves out."""

import json
import re

import pytest
from checkout import ROOT
from lxml import html

from book.quizzes import quiz
from book.quizzes.quiz import ChoiceQuestion

pytestmark = pytest.mark.xdist_group("site")

pytest.importorskip("sphinx", reason="the site needs Sphinx: pip install -e .[site]")
pytest.importorskip("myst_nb", reason="the site needs MyST-NB: pip install -e .[site]")

STATIC = ROOT / "lectures" / "_static"


@pytest.fixture(scope="module")
def page(site):
    """The site's page with the quiz of part 2."""
    return html.parse(str(site / "quiz_part2.html")).getroot()


def test_every_question_is_a_form_that_can_be_used_without_a_mouse(page):
    kinds = page.xpath("//form[contains(@class, 'quiz-question')]/@data-kind")
    assert kinds == [q.kind for q in quiz.load("part2").questions]
    for every in ("//fieldset", "//legend", "//div[@aria-live='polite']"):
        assert len(page.xpath(every)) == len(kinds)
    inputs = page.xpath("//input[starts-with(@name, 'part2-')]")
    ids = {one.get("id") for one in inputs}
    assert ids <= set(page.xpath("//label/@for"))
    assert {one.get("type") for one in inputs} == {"radio", "checkbox", "text"}
    assert len(ids) == len(inputs)


def test_the_script_gets_the_right_answers(page):
    keys = page.xpath("//form/@data-key")
    for question, key in zip(quiz.load("part2").questions, map(json.loads, keys), strict=True):
        if isinstance(question, ChoiceQuestion):
            assert [c.right for c in question.shuffled] == [
                n in key["right"] for n in range(len(question.choices))
            ]
        else:
            assert key["answer"] == pytest.approx(question.answer)


def test_without_javascript_there_are_the_questions_and_folded_answers(page):
    folded = page.xpath("//details[@class='quiz-answer'][not(@open or @hidden)]")
    assert len(folded) == len(page.xpath("//details[@class='quiz-answer']"))
    assert len(folded) == len(quiz.load("part2").questions)
    checks = page.xpath("//button[@class='quiz-check']")
    assert checks
    assert all("hidden" in button.attrib for button in checks)


def test_a_quiz_asks_no_other_machine():
    for name in ("quiz.js", "quiz.css"):
        text = (STATIC / name).read_text(encoding="utf-8")
        assert not re.search(r"https?:|fetch\(|XMLHttpRequest|import\(|@import|url\(", text)


def test_every_quiz_has_a_page():
    for name in quiz.names():
        text = (ROOT / "lectures" / f"quiz_{name}.md").read_text(encoding="utf-8")
        assert f"```{{quiz}} {name}\n" in text
        assert quiz.load(name).title in text.splitlines()[0]


def test_the_students_site_has_no_exams_and_no_solutions(tmp_path):
    from sphinx.application import Sphinx

    found = {}
    for tag in ("students", "everything"):
        app = Sphinx(
            *(ROOT / "lectures", ROOT / "lectures", tmp_path / "out", tmp_path / tag, "html"),
            tags=[tag],
            status=None,
        )
        found[tag] = app.project.discover(app.config.exclude_patterns, app.config.include_patterns)
    hidden = found["everything"] - found["students"]
    assert "teach/theory_exam_solutions" in hidden
    teaching = {name for name in found["everything"] if name.startswith("teach/")}
    assert hidden == teaching | {"walkthrough"}  # which quotes answers, too

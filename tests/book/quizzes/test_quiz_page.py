"""A quiz in a page of the site, and what the students' site leaves out."""

import json
import re
from html.parser import HTMLParser

import pytest
from checkout import ROOT

from book.quizzes import quiz
from book.quizzes.quiz import ChoiceQuestion

pytestmark = pytest.mark.xdist_group("site")

pytest.importorskip("sphinx", reason="the site needs Sphinx: pip install -e .[site]")
pytest.importorskip("myst_nb", reason="the site needs MyST-NB: pip install -e .[site]")

STATIC = ROOT / "lectures" / "_static"


class Elements(HTMLParser):
    """All start tags with their attributes."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def of(self, tag, **wanted):
        return [a for t, a in self.found if t == tag and wanted.items() <= a.items()]


@pytest.fixture(scope="module")
def page(site):
    """The HTML of the site's page with the quiz of part 2."""
    return (site / "quiz_part2.html").read_text(encoding="utf-8")


def test_every_question_is_a_form_that_can_be_used_without_a_mouse(page):
    asked, elements = quiz.load("part2"), Elements(page)
    forms = [f for f in elements.of("form") if "quiz-question" in f.get("class", "")]
    assert [form["data-kind"] for form in forms] == [q.kind for q in asked.questions]
    assert len(elements.of("fieldset")) == len(elements.of("legend")) == len(forms)
    assert len(elements.of("div", **{"aria-live": "polite"})) == len(forms)
    inputs = [i for i in elements.of("input") if i.get("name", "").startswith("part2-")]
    labels = {label["for"] for label in elements.of("label") if "for" in label}
    assert {i["id"] for i in inputs} <= labels
    assert {i["type"] for i in inputs} == {"radio", "checkbox", "text"}
    assert len({i["id"] for i in inputs}) == len(inputs)


def test_the_script_gets_the_right_answers(page):
    forms = [f for f in Elements(page).of("form") if "data-key" in f]
    for question, form in zip(quiz.load("part2").questions, forms, strict=True):
        key = json.loads(form["data-key"])
        if isinstance(question, ChoiceQuestion):
            assert [c.right for c in question.shuffled] == [
                n in key["right"] for n in range(len(question.choices))
            ]
        else:
            assert key["answer"] == pytest.approx(question.answer)


def test_without_javascript_there_are_the_questions_and_folded_answers(page):
    elements = Elements(page)
    folded = [d for d in elements.of("details") if d.get("class") == "quiz-answer"]
    assert len(folded) == len(quiz.load("part2").questions)
    assert not any("open" in d or "hidden" in d for d in folded)
    checks = [b for b in elements.of("button") if b.get("class") == "quiz-check"]
    assert checks
    assert all("hidden" in button for button in checks)


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

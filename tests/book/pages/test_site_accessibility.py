"""Pages of the built site in a real browser: axe-core, a phone, dark colors, no other machine."""

import json

import pytest
from browser import SCREENS, violations, width

pytestmark = pytest.mark.xdist_group("site")

PAGES = (
    "index.html",
    "part2_self_attention.html",
    "quiz_part1.html",
    "live.html",
    "glossary.html",
    "teaching.html",
    "slides.html",
    "slides/part2_self_attention.html",
)


def windows():
    """Every screen in both color schemes; each of either is in every run of the tests."""
    schemes = ("light", "dark")
    for place, name in enumerate(SCREENS):
        for scheme in schemes:
            quick = scheme == schemes[place % len(schemes)]
            yield pytest.param((name, scheme), marks=() if quick else pytest.mark.slow)


@pytest.fixture(params=windows())
def window(request, chromium):
    """A window of the size and color scheme, with what its pages ask of other machines."""
    name, scheme = request.param
    made = chromium.new_context(**SCREENS[name], color_scheme=scheme)
    made.asked = []
    made.on("request", lambda request: made.asked.append(request.url))
    yield made
    made.close()


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_it_fits_and_it_asks_nobody(name, site, window):
    page = window.new_page()
    page.goto((site / name).as_uri())
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    assert width(page) <= page.viewport_size["width"]
    assert [url for url in window.asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_running_model_is_accessible_and_fits(site, window):
    page = window.new_page()
    page.goto((site / "live.html").as_uri())
    page.get_by_role("button", name="Start the models").click()
    page.locator(".live-writer-bars li").first.wait_for()
    for summary in page.locator(".live-numbers summary").all():
        summary.click()
    page.locator(".live-word").last.click()
    assert violations(page) == []
    assert width(page) <= page.viewport_size["width"]


def test_a_right_and_a_wrong_answer_are_accessible(site, window):
    page = window.new_page()
    page.goto((site / "quiz_part1.html").as_uri())
    right, wrong = (page.locator("form.quiz-question").nth(place) for place in (0, 2))
    key = json.loads(right.get_attribute("data-key"))["right"][0]
    other = 1 - min(json.loads(wrong.get_attribute("data-key"))["right"][0], 1)
    right.get_by_role("radio").nth(key).check()
    wrong.get_by_role("radio").nth(other).check()
    for question in (right, wrong):
        question.get_by_role("button", name="Check").click()
    assert "Right." in right.inner_text()
    assert "Not yet." in wrong.inner_text()
    assert violations(page) == []

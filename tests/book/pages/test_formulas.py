"""Formulas in a page: those on the screen are set at once, the others when one begins to read."""

import pytest

pytestmark = pytest.mark.xdist_group("site")

OPEN = """[...document.querySelectorAll(".math")].filter(
    (one) => !one.querySelector("mjx-math")).length"""


def test_all_formulas_are_set_after_the_first_key(site, chromium):
    page = chromium.new_page()
    page.goto((site / "part4_positions.html").as_uri())
    assert page.evaluate(OPEN) > 20
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"{OPEN} === 0")
    page.close()


def test_a_page_that_shows_a_formula_sets_it_unasked(site, chromium):
    page = chromium.new_page()
    page.goto((site / "prerequisites.html").as_uri())
    page.locator("mjx-math").first.wait_for(state="attached")
    page.close()

"""Every page in a real browser: nothing is cut off, no console complains, axe finds nothing."""

import json
from pathlib import Path

import pytest
from browser import SCREENS, SETTLED, expect, violations, width

pytestmark = pytest.mark.xdist_group("site")

HERE = Path(__file__).parent
WIDTHS = (390, 768, 1440)
LEAST_PIXELS = 12  # of the letters of a formula that had to be made smaller
CUT_OFF = (HERE / "cut_off.js").read_text(encoding="utf-8")
SET = """() => [...document.querySelectorAll(".bd-article .math")].every(
    (one) => one.querySelector("mjx-math"))"""
OTHERS = (  # one of each kind of page that is no lecture
    "index",
    "slides",
    "code",
    "live",
    "search",
    "glossary",
    "paper_audit",
    "second_explanations",
    "quiz_part1",
    "teaching",
    "walkthrough",
)
PAINTED = "() => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 60)))"


def complaint(name, said):
    """What a page logs for its developers is none."""
    return [f"{name}: {said.text}"] if said.type in ("error", "warning") else []


@pytest.fixture
def opened(site, chromium):
    """Open a page by its name; what its console says is in the list `said`."""
    window = chromium.new_context(viewport={"width": WIDTHS[0], "height": 900})
    said = []

    def open_page(name):
        page = window.new_page()
        page.on("console", lambda one: said.extend(complaint(name, one)))
        page.on("pageerror", lambda error: said.append(f"{name}: {error}"))
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield open_page, said
    window.close()


def cut_off(page, name):
    """What is cut off at the present width."""
    page.evaluate(PAINTED)
    page.wait_for_function(SETTLED)
    wide = page.viewport_size["width"]
    found = [f"{name} at {wide}: {one}" for one in page.evaluate(CUT_OFF, LEAST_PIXELS)]
    return found + [f"{name} at {wide}: the page"] * (width(page) > wide)


def test_no_part_cuts_an_equation_a_table_or_a_drawing_off(opened, site):
    open_page, said = opened
    cut = []
    for name in sorted(path.stem for path in site.glob("part*.html")):
        page = open_page(name)
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.keyboard.press("Shift")  # whoever presses a key wants all formulas
        page.wait_for_function(SET)
        for wide in WIDTHS:
            page.set_viewport_size({"width": wide, "height": 900})
            cut += cut_off(page, name)
        page.close()
    assert said == []
    assert cut == []


def test_no_other_page_complains_or_is_wider_than_a_phone(opened):
    open_page, said = opened
    assert [one for name in OTHERS for one in cut_off(open_page(name), name)] == []
    assert said == []


def test_what_a_search_shows_of_a_page_has_no_tex_no_contents_and_no_code(opened):
    open_page, _ = opened
    formulas = r'<span class="math">\(n - 1\)</span> and <span class="math">\(\sqrt{d_k}\)</span>'
    aside = '<aside class="bd-sidebar-secondary">Contents</aside>'
    cell = '<div class="cell"><div class="cell_input"><pre>import numpy</pre></div></div>'
    page = f'<div role="main">{aside}{cell}<dl><dt>key</dt><dd>with {formulas}.</dd></dl></div>'
    shown = open_page("search").evaluate("(page) => Search.htmlToText(page)", page)
    assert " ".join(shown.split()) == "key with n - 1 and …."


def test_a_picture_is_enlarged_and_closed_by_keys(opened, site):
    open_page, _ = opened
    page = open_page("index")
    button = page.get_by_role("button", name="Enlarge the picture").first
    small = page.locator(".home img.for-light").bounding_box()["width"]
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "(small) => document.querySelector('dialog[open] img').offsetWidth > 2 * small", arg=small
    )
    assert width(page) == WIDTHS[0]
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


# Formulas on the screen are set at once, the others when one begins to read

OPEN = """[...document.querySelectorAll(".math")].filter(
    (one) => !one.querySelector("mjx-math")).length"""


def test_all_formulas_are_set_after_the_first_key(site, chromium):
    page = chromium.new_page()
    page.goto((site / "part4_positions.html").as_uri())
    assert page.evaluate(OPEN) > 20
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"{OPEN} === 0")
    page.close()


def test_what_is_said_to_an_answer_has_its_formulas_when_one_comes_back(site_address, chromium):
    page = chromium.new_page()
    page.goto(f"{site_address}/quiz_part2.html")
    question = page.locator("form.quiz-question").first
    for choice in range(question.get_by_role("radio").count()):
        question.get_by_role("radio").nth(choice).check()
        question.get_by_role("button", name="Check").click()
        if "Right." in question.inner_text():
            break
    page.reload()
    question.locator(".quiz-said mjx-math").first.wait_for()
    page.wait_for_function("""[...document.querySelectorAll(".quiz-said .math")].every(
        (one) => one.querySelector("mjx-math"))""")
    page.close()


def test_a_page_that_shows_a_formula_sets_it_unasked(site, chromium):
    page = chromium.new_page()
    page.goto((site / "prerequisites.html").as_uri())
    page.locator("mjx-math").first.wait_for(state="attached")
    page.close()


# Pages of the built site in a real browser: axe-core, a phone, dark colors, no other machine.


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

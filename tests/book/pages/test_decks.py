"""Decks in a real browser: each can be reached, each slide is whole, no console says a word."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from browser import BINARY, SCREENS

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from book.decks import first_slide, printing  # noqa: E402
from book.site_build import LECTURES  # noqa: E402

pytestmark = pytest.mark.xdist_group("site")

needs_browser = pytest.mark.skipif(BINARY is None, reason="no Chromium is installed")

HERE = Path(__file__).parent
FOOT = 46  # pixels at the lower edge of a slide, where its footer stands
WALK = (HERE / "deck_walk.js").read_text(encoding="utf-8")


def test_every_deck_is_reached_from_the_home_page_and_every_slide_is_whole(site, chromium):
    window = chromium.new_context(viewport={"width": 1280, "height": 720})
    said = []
    page = window.new_page()
    told = ("error", "warning")
    page.on("console", lambda one: said.extend([f"{page.url}: {one.text}"] * (one.type in told)))
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    page.goto((site / "index.html").as_uri())
    lectures = first_slide.lectures(LECTURES)
    of_weeks = page.locator(".week a[href^='slides/']")
    weekly = of_weeks.evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
    assert set(weekly) == {f"slides/{lecture.stem}.html" for lecture in lectures}
    page.locator("nav").get_by_role("link", name="Slides", exact=True).click()
    page.locator(".deck-picture").first.wait_for()
    assert page.locator(".deck-picture .first-slide-title").count() == len(lectures)
    listed = page.url
    for lecture in lectures:
        page.goto(listed)
        shown = page.locator(f".decks a[href='slides/{lecture.stem}.html'] .first-slide-page")
        pictured = shown.inner_text()
        page.locator(f".decks a[href='slides/{lecture.stem}.html']").click()
        page.wait_for_function("window.Reveal && Reveal.isReady()")
        assert page.locator(".first-slide-page").inner_text() == pictured
        slides, too_large = page.evaluate(WALK, FOOT)
        assert slides == first_slide.slides_of(lecture) == page.evaluate("Reveal.getTotalSlides()")
        assert too_large == [], lecture.stem
    assert said == []
    window.close()


READABLE = (HERE / "deck_readable.js").read_text(encoding="utf-8")


def test_a_deck_is_readable_on_a_phone_held_upright_and_keeps_its_form_when_it_is_turned(
    site, chromium
):
    window = chromium.new_context(**SCREENS["phone"])
    page = window.new_page()
    for name in ("part3_multi_head", "part7_implementation", "part9_today"):
        page.goto((site / f"slides/{name}.html").as_uri())
        page.wait_for_function("window.Reveal && Reveal.isReady()")
        assert page.evaluate(READABLE, 12) == [], name
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_function("Reveal.getConfig().width === 1280")
    window.close()


SHIFT = """new Promise((done) => new PerformanceObserver((list) => {
    done(list.getEntries().reduce((sum, one) => sum + one.value, 0));
}).observe({ type: "layout-shift", buffered: true }))"""


def test_the_first_slide_appears_in_its_place_and_the_speakers_view_comes_after_it(site, chromium):
    window = chromium.new_context(**SCREENS["phone"])
    page = window.new_page()
    page.goto((site / "slides/part2_self_attention.html").as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady() && Reveal.hasPlugin('notes')")
    nothing = "new Promise((done) => setTimeout(done, 500, 0))"
    assert page.evaluate(f"Promise.race([{SHIFT}, {nothing}])") < 0.01
    with window.expect_page():  # that of the speaker
        page.keyboard.press("s")
    window.close()


def test_a_deck_does_not_begin_with_a_colon():
    """What follows it in the book is no slide."""
    for lecture in first_slide.lectures(LECTURES):
        hook = lecture.read_text(encoding="utf-8").partition("\n# ")[2].partition("\n```")[0]
        assert hook.rstrip().endswith((".", "?", "!")), lecture.stem


def test_a_key_makes_a_deck_dark_and_the_help_names_it(site_address, chromium):
    window = chromium.new_context(color_scheme="light")
    page = window.new_page()
    page.goto(f"{site_address}/slides/part2_self_attention.html")
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.keyboard.press("d")
    page.wait_for_function(f"{paper} !== {light!r}")
    page.reload()
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    page.get_by_role("button", name="Keys").click()
    page.get_by_text("Dark or light").wait_for()
    window.close()


def printed(deck, to):
    """In a thread of its own: Playwright runs once in a thread, and `chromium` has this one."""
    with ThreadPoolExecutor() as pool:
        return pool.submit(printing.pdf, deck, to).result()


def printed_pages(deck, to):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", printed(deck, to).read_bytes()))


@needs_browser
def test_a_deck_is_printed_a_page_a_slide(site, tmp_path):
    [deck] = printing.decks(site, ["part1"])  # its hook needs smaller letters to fit one page
    assert printed_pages(deck, tmp_path) == first_slide.slides_of(LECTURES / f"{deck.stem}.md")


@pytest.mark.slow
@needs_browser
def test_every_deck_is_printed_a_page_a_slide(site, tmp_path):
    decks = printing.decks(site, [])
    pages = {deck.stem: printed_pages(deck, tmp_path) for deck in decks}
    lectures = first_slide.lectures(LECTURES)
    assert pages == {one.stem: first_slide.slides_of(one) for one in lectures}


@needs_browser
def test_a_page_that_is_no_deck_is_not_printed(tmp_path, monkeypatch):
    """It never has pages to wait for; the browser is ended and the message says so."""
    page = tmp_path / "part1_none.html"
    page.write_text("<title>No deck</title>", encoding="utf-8")
    monkeypatch.setattr(printing, "SECONDS", 5)
    with pytest.raises(printing.PrintError, match=r"part1_none\.html: .* no answer in time"):
        printed(page, tmp_path)


def test_what_cannot_be_printed_is_a_sentence(site, tmp_path):
    with pytest.raises(printing.PrintError, match="part0: there is no such deck"):
        printing.decks(site, ["part0"])
    with pytest.raises(printing.PrintError, match="run `course site build` first"):
        printing.decks(tmp_path, [])

"""Nothing on a slide is cut off: its content stays within the slide, in a real browser."""

import pytest

pytestmark = pytest.mark.xdist_group("site")

# Of each slide that is too large: title, pixels too wide and too high, whether some is cut off.
TOO_LARGE = """async () => {
    if (window.MathJax) await MathJax.startup.promise;
    await document.fonts.ready;
    const {width, height} = Reveal.getConfig(), scale = Reveal.getScale(), found = [];
    for (const slide of Reveal.getSlides()) {
        const {h, v} = Reveal.getIndices(slide);
        Reveal.slide(h, v);
        const {left, top} = document.querySelector(".slides").getBoundingClientRect();
        const shown = [...slide.querySelectorAll("*")].filter(
            (one) => !one.closest("aside.notes, mjx-assistive-mml, svg *"));
        const boxes = shown.map((one) => one.getBoundingClientRect()).filter((box) => box.width);
        const last = (edge) => Math.max(0, ...boxes.map((box) => box[edge]));
        const tooWide = (last("right") - left) / scale - width;
        const tooHigh = (last("bottom") - top) / scale - height;
        const scrolled = shown.some((one) => one.scrollWidth > one.clientWidth + 1
            && ["auto", "scroll", "hidden"].includes(getComputedStyle(one).overflowX));
        if (tooWide > 1 || tooHigh > 1 || scrolled) {
            const title = slide.querySelector("h1, h2").textContent;
            found.push([title, Math.round(tooWide), Math.round(tooHigh), scrolled]);
        }
    }
    return found;
}"""


def test_no_slide_is_larger_than_the_screen(site, chromium, course):
    decks = sorted((site / "slides").glob("part*.html"))
    assert len(decks) == len(course.parts)
    found = {}
    for deck in decks:
        page = chromium.new_page(viewport={"width": 960, "height": 700})
        page.goto(deck.as_uri())
        page.wait_for_function("Reveal.isReady()")
        assert page.evaluate("Reveal.getTotalSlides()") > 4
        found[deck.stem] = page.evaluate(TOO_LARGE)
        page.close()
    assert {name: slides for name, slides in found.items() if slides} == {}

"""Every page in a real browser, at three widths: nothing is cut off, no console says a word."""

import pytest
from browser import width

pytestmark = pytest.mark.xdist_group("site")

WIDTHS = (390, 768, 1440)
LEAST_PIXELS = 8.5  # of the letters of a formula that had to be made smaller
# What is wider than its place, or has letters too small to read: its kind and its beginning.
CUT_OFF = """(least) => {
    const found = [], page = document.documentElement.clientWidth;
    const told = (kind, one) => found.push(`${kind}: ${one.textContent.slice(0, 60) || one.alt}`);
    for (const one of document.querySelectorAll(".bd-article .math mjx-container")) {
        const box = one.querySelector("mjx-math").getBoundingClientRect();
        const place = one.closest("p, li, td, th, dd, div, figcaption").getBoundingClientRect();
        const right = Math.min(place.right, page);
        if (!box.width) continue;
        if (box.right > right + 2 || box.left < place.left - 2) told("equation", one);
        if (parseFloat(getComputedStyle(one).fontSize) < least) told("small", one);
    }
    for (const one of document.querySelectorAll(".bd-article :is(table, figure img, svg)")) {
        const box = one.getBoundingClientRect();
        if (box.width && (box.right > page + 1 || box.left < -1)) told(one.tagName, one);
    }
    return found;
}"""
SET = """() => [...document.querySelectorAll(".bd-article .math")].every(
    (one) => one.querySelector("mjx-math"))"""
PAINTED = "() => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 60)))"


def complaint(name, said):
    """What a page logs for its developers is none."""
    return [f"{name}: {said.text}"] if said.type in ("error", "warning") else []


def test_nothing_is_cut_off_and_no_page_complains(site, chromium):
    complaints, cut = [], []
    window = chromium.new_context()
    for name in sorted(path.name for path in site.glob("*.html")):
        page = window.new_page()
        page.on("console", lambda said, name=name: complaints.extend(complaint(name, said)))
        page.on("pageerror", lambda error, name=name: complaints.append(f"{name}: {error}"))
        page.goto((site / name).as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.keyboard.press("Shift")  # whoever presses a key wants all formulas
        page.wait_for_function(SET)
        for wide in WIDTHS:
            page.set_viewport_size({"width": wide, "height": 900})
            page.evaluate(PAINTED)
            cut += [f"{name} at {wide}: {one}" for one in page.evaluate(CUT_OFF, LEAST_PIXELS)]
            if width(page) > wide:
                cut.append(f"{name} at {wide}: the page")
        page.close()
    window.close()
    assert complaints == []
    assert cut == []

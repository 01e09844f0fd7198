"""`course mark` in a real browser: keys alone, two markers at once, axe, light, dark, a tablet."""

import threading
from contextlib import ExitStack

import browser
import pytest
from marked_class import (
    ITEM,
    SVG,
    answered,
    code,
    coded,
    drew,
    handed_in,
    pasted,
    png,
    points,
    printed,
    served,
)
from world import COURSE

from grader.marking.desk import Desk
from grader.marking.entries import Marker
from grader.marking.server import offered

pytestmark = pytest.mark.xdist_group("accessibility")  # its browser is started once

ALIKE = "The softmax makes the sum one, so dividing changes only the spread of the scores."
TEXTS = [
    *[ALIKE] * 5,
    *[""] * 3,
    "<script>document.title = 'hurt'</script><img src=x onerror=\"document.title = 'hurt'\">\n\n"
    "| width $d_k$ | a |\n|---|---|\n| 64 | \u202eb |\n\n"
    "$$\\sqrt{d_k} = " + "+".join("x" * 90) + "$$",
    "word " * 1_000,
    *(f"Answer number {n}." for n in range(4)),
]
SCREENS = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True},
    "phone": browser.SCREENS["phone"],
}


@pytest.fixture
def store(store):
    for number, text in enumerate(TEXTS):
        store.add(answered(f"student-{number:02}", text))
    return store


@pytest.fixture
def window(chromium, store, tmp_path):
    """Opens the page of a marker, in a window and with a server of their own."""
    with ExitStack() as stack:

        def opened(name, path=f"a1/{ITEM}", screen="desktop", **options):
            place = ("127.0.0.1", 0, tmp_path)
            served = stack.enter_context(offered(Desk(store, COURSE), Marker(name), *place))
            threading.Thread(target=served.run, daemon=True).start()
            context = chromium.new_context(**SCREENS[screen], **options)
            stack.callback(context.close)
            page = context.new_page()
            page.goto(served.address + path)
            return page

        yield opened


def keys(page, *pressed):
    """Press these keys, of which the last leads to another page."""
    browser.press(page, *pressed[:-1])
    with page.expect_navigation():
        page.keyboard.press(pressed[-1])


def test_a_class_is_marked_by_keys_alone(window, store):
    page = window("ben")
    assert page.get_by_role("checkbox", name="student").count() == 5
    browser.press(page, "m", "m", "Space")  # the second of the group is taken out
    keys(page, "9", "3", "c", *"Why ok?", "Escape", "Enter")  # 9 of 4 there cannot be
    assert [*points(store).values()] == [3.0] * 4
    assert {kept.mark.comment for kept in store.marks()} == {"Why ok?"}
    assert page.locator(".member").count() == 0  # the one that was taken out comes next
    keys(page, "2", ".", "5", "a", "Enter")  # with the comment given before
    assert sorted(points(store).values()) == [2.5, 3.0, 3.0, 3.0, 3.0]
    assert page.get_by_text("Nothing was written here.").is_visible()
    keys(page, "0", "Enter")
    keys(page, "u")  # takes the mark of the empty ones back
    assert len([p for p in points(store).values() if p is not None]) == 5
    keys(page, "q")
    assert page.get_by_text("in question").first.is_visible()
    keys(page, "n")
    keys(page, "p")
    assert page.get_by_text("Nothing was written here.").is_visible()
    while page.locator("#give").count():
        keys(page, "1", "Enter")
    assert len(points(store)) == len(TEXTS)
    assert page.get_by_role("heading", name="every answer is marked").is_visible()


@pytest.mark.parametrize("shift", [True, False])
def test_the_rubrics_items_are_ticked_by_key_and_the_same_words_marked_by_one(shift, window, store):
    page = window("ben")
    for number, types in (("Digit1", "!&"), ("Digit3", '#"'), ("Digit2", "@é"), ("Digit2", "@é")):
        # an American keyboard types these with Shift, a French one without
        typed = {"code": number, "key": types[not shift], "shiftKey": shift, "bubbles": True}
        page.evaluate("of => document.body.dispatchEvent(new KeyboardEvent('keydown', of))", typed)
    assert page.locator("#points").input_value() == "2"
    browser.press(page, "c", *"Why?", "Escape")
    assert page.evaluate("scrollY") == 0, "the answer stays in sight"
    keys(page, "Enter")
    assert [*points(store).values()] == [2.0] * 5
    assert [one.met for one in store.marks()[0].mark.rubric] == [True, False, True, False]
    store.add(answered("late", ALIKE))
    page = window("zoe")
    while not page.get_by_text("same words: 2 points by ben (5 students)").count():
        keys(page, "n")
    keys(page, "=")
    mark = store.marks()[-1].mark
    assert (mark.points, mark.comment, mark.marker) == (2.0, "Why?", "zoe")
    assert [one.met for one in mark.rubric] == [True, False, True, False]


def test_two_markers_see_each_other_and_neither_mark_is_lost(window, store):
    ben, zoe = window("ben"), window("zoe")
    assert zoe.get_by_text("Also here: ben").is_visible()
    ben.get_by_text("Also here: zoe").wait_for(timeout=60_000)
    keys(ben, "4", "Enter")
    zoe.get_by_text("marked meanwhile by ben: 4 points").wait_for(timeout=60_000)
    keys(zoe, "1", "Enter")
    assert zoe.get_by_role("heading", name="not stored").is_visible()
    assert browser.violations(zoe) == []
    assert {*points(store).values()} == {4.0}
    keys(zoe, "n")
    assert zoe.get_by_text("4 points").first.is_visible()


@pytest.mark.parametrize(
    ("screen", "scheme"), [("desktop", "light"), ("tablet", "dark"), ("phone", "light")]
)
def test_axe_finds_nothing_to_mend_and_nothing_hostile_acts(screen, scheme, window, store):
    page = window("ben", f"a1/{ITEM}?show=all", screen, color_scheme=scheme)
    problems = []
    page.on("console", lambda said: problems.append(said.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    wide = SCREENS[screen]["viewport"]["width"]
    for _ in range(2):  # the group, and the empty ones
        assert browser.violations(page) == []
        assert browser.width(page) <= wide
        keys(page, "n")
    written = page.get_by_text("<script>document").first
    for _ in TEXTS:
        if not written.count():
            keys(page, "n")
    assert written.is_visible()
    assert browser.violations(page) == []
    assert browser.width(page) <= wide
    assert "hurt" not in page.title()
    with page.expect_navigation():
        page.locator("header a.home").click()
    assert browser.violations(page) == []
    assert browser.width(page) <= wide
    assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_drawn_and_a_hostile_one_is_inert(scheme, window, world, tmp_path):
    act = "document.title = parent.document.title = 'hurt'"
    hostile = SVG.format(
        f"<style>rect {{ fill: red }}</style><script>{act}</script><rect width='9' height='9' "
        f"onload=\"{act}\"/><image href='http://evil.example/x.png'/><foreignObject><iframe "
        "xmlns='http://www.w3.org/1999/xhtml' src='http://evil.example/'/></foreignObject>"
    ).replace("<svg", f'<svg onload="{act}"')
    above = code("plot()", drew(hostile, "image/svg+xml"), drew(png(900, 3000)), drew(b"GIF8"))
    below = code("table()", printed("loss 0.1 " * 40))
    attached = {"my plot.png": {"image/png": coded(png(1600, 200))}}
    text = f"![a](attachment:my%20plot.png)\n\n{pasted(png(60, 60))} ![no](data:image/png;base64,x)"
    made = {"above": [above], "below": [below], "attached": attached}
    page = window("ben", f"a1/{ITEM}?show=all", color_scheme=scheme)
    asked, refused, problems = [], [], []
    page.on("request", lambda one: asked.append(one.url))
    page.on("requestfailed", lambda one: refused.append(one.url) if one.failure == "csp" else None)
    page.on("console", lambda said: problems.append(said.text))
    with world.store() as store:
        store.add(handed_in(tmp_path / "a1.ipynb", text, student="student-00", **made))
    page.reload()
    while not page.get_by_text("student-00").count():
        keys(page, "n")
    page.wait_for_load_state("networkidle")
    drawn = page.locator("section.theirs img")
    assert drawn.evaluate_all("all => all.map((one) => one.naturalWidth)") == [1600, 60, 40, 900]
    assert page.get_by_text("figure “no”").is_visible()
    assert page.get_by_text("a picture that cannot be shown").is_visible()
    assert page.get_by_text("loss 0.1").first.is_visible()
    assert browser.violations(page) == []
    assert browser.width(page) <= SCREENS["desktop"]["viewport"]["width"]
    assert problems == []
    page.goto(page.get_by_alt_text("Picture 1 of").evaluate("one => one.src"))  # by itself
    assert "hurt" not in page.title()
    own = page.url[: page.url.index("/", 8)]
    assert [url for url in asked if not url.startswith(own) and url not in refused] == []


# A whole class marked in a browser by two, one of whom is killed in between: nothing is lost.


@pytest.fixture
def serve(world):
    """Starts `course mark`; its process, and the address it prints."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(served(world.out, *options))


def test_a_comment_typed_while_the_server_was_gone_is_not_lost(chromium, store, serve):
    process, address = serve("--marker", "ben")
    page = chromium.new_page()
    page.goto(f"{address}a1/{ITEM}")
    process.kill()
    process.wait()
    browser.press(page, "Shift+Digit2", "c", *"Still here", "Escape", "Enter", "n")
    page.get_by_text("nothing was sent").wait_for(timeout=60_000)
    port = address.split(":")[2].partition("/")[0]
    assert f"--port {port}" in page.locator("#others").inner_text()
    assert page.locator("#comment").input_value() == "Still here"
    again = serve("--marker", "ben", "--port", port)[1]
    assert again == address
    page.reload()  # or whatever leads back to the page
    assert page.get_by_text("typed before, not stored yet").is_visible()
    keys(page, "Enter")
    assert [*points(store).values()] == [1.0] * 5
    assert {kept.mark.comment for kept in store.marks()} == {"Still here"}
    keys(page, "u")
    assert page.locator("#comment").input_value() == "", "what was stored is no draft"
    page.close()

"""The code explorer: what it shows, what it hides from students, and its keys in a browser."""

import importlib
import inspect
import json
import re

import pytest
from browser import press, violations
from lxml import html

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from book.code_explorer.catalog import entries  # noqa: E402
from book.code_explorer.groups import GROUPS, group_of  # noqa: E402
from book.code_explorer.lectures import anchors  # noqa: E402
from book.screen import symbols  # noqa: E402
from course_lib.drawings.gallery import UPRIGHT, draw  # noqa: E402
from grader.authoring import likeness
from grader.library import student_tree  # noqa: E402
from grader.library.components import BuildError, Component  # noqa: E402

pytestmark = pytest.mark.xdist_group("site")


COMPONENT = "section[@class='code-component']"


class Read:
    """Each component of the page: its code, its text, and its links by name or `rel`."""

    def __init__(self, path):
        page = html.parse(str(path)).getroot()
        boxes = page.xpath(f"//a[contains(@aria-label, ': code of ')][not(ancestor::{COMPONENT})]")
        self.ids = page.xpath("//@id")
        self.boxes = [(one.get("href"), one.get("aria-label")) for one in boxes]
        self.found = {one.get("id"): self.component(one) for one in page.xpath(f"//{COMPONENT}")}

    @staticmethod
    def component(section):
        links = {}
        for one in section.iter("a"):
            links.setdefault(one.get("rel") or one.text_content(), one.get("href"))
        code, text = section.xpath(".//pre//text()"), section.xpath(".//text()[not(ancestor::pre)]")
        return {"code": "".join(code), "text": "".join(text), "links": links}


@pytest.fixture(scope="module")
def read(site):
    return Read(site / "code.html")


def test_every_component_of_an_exercise_is_there_once_in_the_courses_order(course, read):
    asked = [c for a in course.assignments for e in a.exercises for c in e.components]
    ids = {f"{e.component.module}:{e.component.name}": e.id for e in entries(0)}
    assert len(ids) == len(entries(0)) == len(set(ids.values()))
    assert len(read.ids) == len(set(read.ids))
    shown = list(read.found)
    assert [one for one in shown if one in {ids[c] for c in asked}] == [ids[c] for c in asked]
    for component in asked:
        exercise = next(e for a in course.assignments for e in a.exercises
                        if component in e.components)  # fmt: skip
        title = re.sub(r"<[^>]*>", "", symbols.typeset(exercise.title))
        assert f"{exercise.id} {title}" in read.found[ids[component]]["text"]


def test_what_else_cites_the_paper_is_there_too(read):
    for reference in ("positions:LearnedPositions", "fast.attention:FusedMultiHeadAttention",
                      "config:TransformerConfig", "decoding.translator:Translator"):  # fmt: skip
        component = Component.parse(f"course_lib.{reference}")
        assert [e for e in entries(0) if e.component == component], reference
    ids = list(read.found)
    assert ids.index("code-positions-learned-positions") - 1 == ids.index(
        "code-positions-sinusoidal-positions"
    )


def test_previous_and_next_visit_all_once(read):
    ids = list(read.found)
    at, visited = f"#{ids[0]}", []
    while at:
        visited.append(at[1:])
        at = read.found[at[1:]]["links"].get("next")
    assert visited == ids
    assert [read.found[id]["links"].get("prev") for id in ids] == [
        None, *(f"#{id}" for id in ids[:-1])
    ]  # fmt: skip


def test_every_box_of_the_drawing_opens_what_it_names(read):
    assert len(draw("transformer").places) >= 18
    assert len(read.boxes) == 2 * len(draw("transformer").places)  # wide, and upright
    half = len(read.boxes) // 2
    assert sorted(read.boxes[:half]) == sorted(read.boxes[half:])
    assert {address[1:] for address, _ in read.boxes} <= set(read.found)
    opens = {label.partition(":")[0]: address for address, label in read.boxes}
    assert opens["encoder"] == "#code-encoder"
    assert opens["decoder"] == "#code-decoder"
    assert opens["feed-forward"] == "#code-feed-forward"
    assert opens["add & norm"] == "#code-residual-residual-connection"
    assert opens["masked multi-head self-attention"] == "#code-attention-multi-head-attention"
    assert opens["embedding"] == "#code-embeddings-transformer-embedding"
    assert opens["linear"] == "#code-transformer"


@pytest.mark.parametrize("made", [draw("transformer"), UPRIGHT["transformer"]()])
def test_a_place_lies_on_the_box_with_its_label(made):
    from drawn_svg import Drawn

    drawn = Drawn(made.svg)
    corners = {(box.left, box.top, box.right, box.bottom) for box in drawn.boxes}
    for place in made.places:
        edges = (place.x, place.y, place.x + place.width, place.y + place.height)
        said = " ".join(
            text.text
            for text in drawn.texts
            if edges[0] <= text.middle[0] <= edges[2] and edges[1] <= text.middle[1] <= edges[3]
        )
        if place.label in ("encoder", "decoder"):  # with the number of layers beside the frame
            assert "6" in said
        else:
            assert said == place.label
            assert edges in corners or place.label == "positions"


def test_the_source_is_the_real_one_with_its_lines(read):
    for entry in entries(0):
        real = getattr(importlib.import_module(entry.component.module), entry.component.name)
        lines, first = inspect.getsourcelines(real)
        shown = read.found[entry.id]["code"]
        assert "".join(lines) in shown, entry.id
        above = shown.removesuffix("".join(lines)).splitlines()
        assert all(line.startswith(("#", "@")) for line in above), entry.id
        said = f"{entry.file}, line {first - len(above)}; {len(lines) + len(above)} lines"
        assert said in read.found[entry.id]["text"]


def test_sections_of_the_paper_are_those_of_the_source(read):
    for id, one in read.found.items():
        for section in re.findall(r"§\d+(?:\.\d+)*", one["code"]):
            assert section in one["text"], (id, section)
    assert anchors("§3.3, Eq. 2 and §3.3, later §5.4") == ["§3.3, Eq. 2", "§5.4"]


def test_links_lead_to_the_lecture_that_treats_it(site, read):
    links = read.found["code-residual-residual-connection"]["links"]
    quoted = links["Part 5: The Transformer architecture"]  # at the heading where it is quoted
    page, _, anchor = quoted.partition("#")
    assert page == "part5_architecture.html"
    assert f'id="{anchor}"' in (site / page).read_text(encoding="utf-8")
    assert read.found["code-feed-forward"]["links"]["§3.3, Eq. 2"].startswith(f"{page}#")
    assert read.found["code-numpy-forms-attention-softmax"]["links"]["Part 2: Self-attention"] == (
        "part2_self_attention.html"
    )
    untreated = read.found["code-evaluation-classification-classification-scores"]["links"]["§6"]
    assert untreated.startswith("https://"), "no lecture treats it"


def test_without_a_script_nothing_is_hidden(site):
    text = (site / "code.html").read_text(encoding="utf-8")
    sections = re.findall(r'<section class="code-component"[^>]*>', text)
    assert len(sections) == len(entries(0))
    assert "hidden" not in "".join(sections)
    assert "explorer.js" not in (site / "part1_motivation.html").read_text(encoding="utf-8")


def test_the_students_page_shows_what_the_catalog_lets_them_see(students_site):
    found = Read(students_site / "code.html").found
    assert {id: one["code"] for id, one in found.items()} == {
        entry.id: entry.source for entry in entries(1)
    }
    assert "the body left to you" in found["code-attention"]["text"]
    assert "not shown yet" in found["code-decoding-translator"]["text"]


@pytest.mark.parametrize("week", [1, 3, 5, 7])
def test_students_see_no_answer_before_its_last_late_day(week, course):
    out = student_tree.released_in_week(course, week)
    hidden = student_tree.unreleased(course, out)
    code = [(entry.id, entry.source) for entry in entries(week)]
    assert [id for id, _ in code] == [entry.id for entry in entries(0)]
    assert likeness.find_leaks(code, hidden, student_tree.released_code(course, out)) == []
    for entry in entries(week):
        if f"{entry.component.module}:{entry.component.name}" in hidden:
            assert entry.is_stub, entry.id
            assert "raise NotImplementedError" in entry.source, entry.id
        elif entry.exercise:
            assert entry.source == entry.component.source
    open_ids = {entry.id for entry in entries(week) if not entry.source}
    assert ("code-decoding-translator" in open_ids) == ("a4" not in out)  # it uses the search


def test_a_week_begins_with_its_day_and_answers_come_out_after_the_late_days(course):
    """Assignment 4 is worked on in weeks 4 and 5, and can be handed in late in week 6."""
    out = [student_tree.released_in_week(course, week) for week in range(1, 8)]
    assert [len(ids) for ids in out] == [0, 0, 1, 2, 3, 3, 4]


def test_a_module_that_belongs_nowhere_is_one_sentence():
    with pytest.raises(BuildError, match=r"nowhere\.codec has a component, but no group"):
        group_of("course_lib.nowhere.codec")


# In a browser.


LABEL = "document.activeElement.getAttribute('aria-label')"
SHOWN = """[...document.querySelectorAll(".code-component:not([hidden])")].map((one) => one.id)"""


def wait_for(page, expression, value):
    """Until an expression has this value: a page answers a key or an address a moment later."""
    page.wait_for_function(
        f"JSON.stringify({expression}) === {json.dumps(json.dumps(value, separators=(',', ':')))}"
    )


@pytest.fixture
def tab(chromium):
    made = chromium.new_page(viewport={"width": 1280, "height": 800})
    yield made
    made.close()


@pytest.fixture
def opened(tab, site):
    """The page, freshly opened."""
    tab.goto((site / "code.html").as_uri())
    return tab


def test_tab_and_enter_open_a_component_and_escape_leads_back(opened):
    wait_for(opened, SHOWN, [])
    for _ in range(60):  # past the menus
        press(opened, "Tab")
        if opened.evaluate(LABEL) == "embedding: code of TransformerEmbedding":
            break
    press(opened, "ArrowUp")
    wait_for(opened, LABEL, "multi-head self-attention: code of MultiHeadAttention")
    press(opened, "ArrowUp", "ArrowUp")
    wait_for(opened, LABEL, "feed-forward: code of FeedForward")
    press(opened, "Enter")
    opened.wait_for_function("location.hash === '#code-feed-forward'")
    wait_for(opened, SHOWN, ["code-feed-forward"])
    wait_for(opened, "document.activeElement.textContent", "FeedForward")
    press(opened, "Escape")
    opened.wait_for_function("location.hash === '#code-drawing'")
    wait_for(opened, SHOWN, [])
    wait_for(opened, LABEL, "feed-forward: code of FeedForward")
    opened.go_back()
    opened.wait_for_function("location.hash === '#code-feed-forward'")
    wait_for(opened, SHOWN, ["code-feed-forward"])


def test_a_click_opens_what_was_clicked(opened):
    encoder = opened.locator("#code-drawing a[href='#code-encoder'] rect").first
    encoder.click(position={"x": 10, "y": 99})
    opened.wait_for_function("location.hash === '#code-encoder'")
    wait_for(opened, SHOWN, ["code-encoder"])
    opened.get_by_role("link", name="add & norm: code of ResidualConnection").last.click()
    opened.wait_for_function("location.hash === '#code-residual-residual-connection'")
    wait_for(opened, SHOWN, ["code-residual-residual-connection"])


def test_an_address_opens_a_component_or_all_of_an_assignment(tab, site):
    address = (site / "code.html").as_uri()
    tab.goto(f"{address}#code-encoder")
    wait_for(tab, SHOWN, ["code-encoder"])
    top = "document.querySelector('#code-encoder').getBoundingClientRect().top"
    tab.wait_for_function(f"0 <= {top} && {top} < 200")
    current = """[...document.querySelectorAll("#code-drawing a[aria-current]")].map(
        (one) => one.getAttribute("href"))"""
    assert tab.evaluate(current) == ["#code-encoder"] * 2  # in both drawings, of which one is seen
    tab.goto(f"{address}#code-a2")
    own = [entry.id for entry in entries(0) if entry.assignment.id == "a2"]
    tab.wait_for_function(f"{SHOWN}.length === {len(own)}")
    assert tab.evaluate(SHOWN) == own


def test_the_focus_in_the_drawing_is_seen(opened):
    opened.locator("#code-drawing svg a").first.focus()
    press(opened, "ArrowRight")
    ring = "getComputedStyle(document.activeElement.querySelector('rect'))"
    wait_for(opened, f"{ring}.strokeWidth", "4px")
    assert opened.evaluate(f"{ring}.stroke") not in ("none", "rgba(0, 0, 0, 0)")


def test_a_phone_shows_the_whole_drawing_upright(tab, site):
    tab.set_viewport_size({"width": 360, "height": 740})
    tab.goto(f"{(site / 'code.html').as_uri()}#code-decoding-sampling-sampling-distribution")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    places = tab.evaluate(
        """[...document.querySelectorAll("#code-drawing a rect")]
        .map((one) => one.getBoundingClientRect()).filter(({width}) => width)
        .map(({left, right, height}) => [left, right, height])"""
    )
    assert len(places) == len(draw("transformer").places)
    for left, right, height in places:
        assert 0 <= left < right <= 360
        assert height >= 22  # a finger finds it
    first = tab.locator("#code-drawing a[href='#code-encoder']").last
    first.focus()
    press(tab, "ArrowUp", "Enter")
    tab.wait_for_function("location.hash.length > 1 && !location.hash.includes('sampling')")
    tab.wait_for_function("""[...document.querySelectorAll("#code-drawing a[aria-current]")]
        .some((one) => one.getClientRects().length)""")
    press(tab, "Escape")
    tab.wait_for_function("document.activeElement.closest('#code-drawing svg + svg')")


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing_to_mend_in_what_the_explorer_adds(scheme, tab, site):
    tab.emulate_media(color_scheme=scheme)
    tab.goto(f"{(site / 'code.html').as_uri()}#code-attention")
    assert tab.evaluate("document.documentElement.dataset.theme") == scheme
    assert [
        found for found in violations(tab) if "code-" in found or "course-drawing" in found
    ] == []


@pytest.mark.parametrize("place", sorted({group.live for group in GROUPS} - {""}))
def test_the_live_model_shows_the_place(place, tab, site):
    tab.goto(f"{(site / 'live.html').as_uri()}?show={place}")
    tab.wait_for_function(f"document.activeElement.closest('#live-{place}')")
    tab.wait_for_function(
        "(({top}) => top >= 0 && top < innerHeight)(document.activeElement.getBoundingClientRect())"
    )
    chosen = {"cross": 0, "self": 1, "encoder": 2}
    wait_for(tab, "live.page.heads.chosen.view", chosen.get(place, 0))

"""The report pages in a real browser: axe-core, a phone, dark colors, paper, the Tab key."""

import datetime
import json

import browser
import pytest
from sample_results import COURSE, sample
from test_dashboard import class_of
from test_report import BUG, CARRIED
from test_similar import A1, ONE

from autograder.demo import disguises
from grader.classroom import regrade_file
from grader.gradebook import manual
from grader.gradebook.exercise_result import Criterion
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.result import Request
from grader.report import render, render_classes, render_dashboard, render_pages, render_student
from grader.similarity import compare
from grader.similarity import page as similar
from grader.similarity.own_work import Handout

pytestmark = pytest.mark.xdist_group("accessibility")  # its browser is started once

PAGES = ("student", "dashboard", "report", "report/class-a1", "report/student-s1", "similar")
CUT = """() => [...document.querySelectorAll('.scroll')]
    .filter(one => one.scrollWidth > one.clientWidth).map(one => one.ariaLabel)"""
PAPER = {"width": 718, "height": 1046}  # A4 with margins of 1 cm, in CSS pixels
TABBED = """() => [...document.querySelectorAll('a[href], button, input, summary, [tabindex="0"]')]
    .filter(element => element.checkVisibility()).length"""
FOCUSED = """() => {
    const element = document.activeElement, style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const seen = box.bottom > 0 && box.top < innerHeight && box.width > 0;
    return [element === document.body, seen && style.outlineStyle !== 'none'];
}"""


def work(student, sources):
    """A notebook with these definitions, and a helper that no exercise uses."""
    helper = "def shown(names, values):\n" + "".join(
        f"    print('{n}', names[{n}], round(values[{n}] * 10 ** {n} + {n}, {n}))\n"
        for n in range(9)
    )
    cells = [{"cell_type": "code", "source": source} for source in [helper, *sources.values()]]
    data = json.dumps({"cells": cells, "nbformat": 4}).encode()
    return Handout(A1, {}, frozenset()).work(student, data)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Each page as a file; every one has all of its parts."""
    parts = [part.id for part in sample().parts]
    rubric = (Criterion(text="$d_k$", points=2, met=True), Criterion(text="*Why*", points=2))
    mark = ManualMark(2.5, "Say why.", rubric=rubric)
    marks = {("s1", "a1", part): mark for part in parts[:2]}
    failed = {"1.3": [BUG], "1.4": [CARRIED], "1.5": [{**BUG, "outcome": "TIMEOUT"}]}
    one = sample("s1", failed=failed, not_written=("1.6",), received="2027-02-10T12:00:00Z")
    one = manual.apply(one, ManualMarks(COURSE, marks))
    asked = {"reason": "See <line> 2.", "asked_at": "2027-02-12T09:00:00Z"}
    requests = [Request(item=item, **asked) for item in (parts[0], "1.3")]
    one = one.model_copy(update={"requests": requests})
    works = [work("student 1", ONE), work("student 2", disguises.renamed(ONE))]
    pairs = compare.suspicious(works)
    assert pairs[0].copied[0] == "helpers"
    everything = [
        sample(
            *(f"s{n}", a.id),
            failed={e.id: [BUG] for e in a.exercises if e.kind == "code"},
            received=(a.due + datetime.timedelta(hours=30)).isoformat(),
        )
        for a in COURSE.graded
        for n in range(2)
    ]
    made = {
        **dict(render_classes(everything, COURSE)),
        "report-of-all": render(everything, COURSE),
        "student": render_student(one, COURSE),
        "dashboard": render_dashboard([*class_of(12), sample("s1", "a2")], COURSE),
        "report": render([one, *class_of(3)[2:]], COURSE),
        **dict(render_pages([one, *class_of(3)[2:]], COURSE)),
        **dict(render_classes([one, *class_of(3)[2:]], COURSE)),
        "similar": similar.render([similar.Comparison(A1, 3, pairs)], ["cy a1: not JSON"]),
    }
    folder = tmp_path_factory.mktemp("pages")
    (folder / "report").mkdir()
    for name, text in made.items():
        (folder / f"{name.removesuffix('.html')}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def window(chromium):
    """Opens a page in a window of its own."""
    contexts = []

    def opened(path, **options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("screen", "scheme"), [("desktop", "light"), ("desktop", "dark"), ("phone", "light")]
)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_to_mend_and_the_page_fits(name, screen, scheme, pages, window):
    options = browser.SCREENS[screen]
    page = window(pages / f"{name}.html", **options, color_scheme=scheme)
    assert browser.violations(page) == []
    assert browser.width(page) <= options["viewport"]["width"]


@pytest.mark.parametrize("id", ["", *(assignment.id for assignment in COURSE.graded)])
def test_nothing_is_cut_at_1200_pixels(id, pages, window):
    """Of the report and of each assignment's page, a mistake in every exercise."""
    path = pages / (f"report/class-{id}.html" if id else "report-of-all.html")
    page = window(path, viewport={"width": 1200, "height": 800})
    assert browser.width(page) <= 1200
    assert page.evaluate(CUT) == []


def test_a_cause_is_sorted_and_found_with_its_student(pages, window):
    page = window(pages / "report/class-a2.html", viewport={"width": 820, "height": 1180})
    cause = page.locator(".students .cause").first.inner_text()
    assert cause
    for _ in range(2):  # up, then down
        page.get_by_role("button", name="Student").click()
    rows = page.locator(".students tbody tr")
    assert [row.split("\t")[0] for row in rows.all_inner_texts()] == ["s1", cause, "s0", cause]
    page.get_by_label("Show only rows with").fill("s0")
    assert rows.locator("visible=true").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_regrade_is_asked_for_without_a_server(scheme, pages, window, tmp_path):
    page = window(pages / "student.html", **browser.SCREENS["phone"], color_scheme=scheme)
    page.get_by_text("Ask for a regrade").click()
    assert browser.violations(page) == []
    assert browser.width(page) <= browser.SCREENS["phone"]["viewport"]["width"]
    page.get_by_role("button", name="Save the request").click()
    assert page.locator("#saved").inner_text() == "", "without a reason there is no file"
    page.get_by_label("Exercise").select_option(label="1.3 Scaled scores")
    page.get_by_label("Reason").fill("See <b>line</b> 3.\n\nIt divides.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the request").click()
    download.value.save_as(tmp_path / "request.txt")
    assert download.value.suggested_filename == "regrade-a1-1.3.txt"
    assert "Saved as regrade-a1-1.3.txt" in page.locator("#saved").inner_text()
    read = regrade_file.read((tmp_path / "request.txt").read_bytes())
    assert read[:3] == ("s1", "a1", "1.3")
    assert read.reason == "See <b>line</b> 3.\n\nIt divides."


@pytest.mark.parametrize("name", PAGES)
def test_paper_has_all_of_a_page_in_dark_ink(name, pages, window):
    """Also if the screen is dark: nothing is cut off on the right, and everything can be read."""
    page = window(pages / f"{name}.html", viewport=PAPER, color_scheme="dark")
    page.emulate_media(media="print")
    assert browser.violations(page) == []
    assert browser.width(page) <= PAPER["width"]
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(0, 0, 0)"


@pytest.mark.parametrize("name", PAGES)
def test_the_tab_key_reaches_everything_and_shows_where_it_is(name, pages, window):
    page = window(pages / f"{name}.html", reduced_motion="reduce")
    wanted, reached = page.evaluate(TABBED), 0
    while True:
        browser.press(page, "Tab")
        left, seen = page.evaluate(FOCUSED)
        if left:
            break
        assert seen, page.evaluate("document.activeElement.outerHTML")[:200]
        reached += 1
        assert reached <= wanted
    assert reached == wanted

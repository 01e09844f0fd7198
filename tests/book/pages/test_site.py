"""The built site: its parts, slides and links, and that a page asks nothing of another server."""

import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from book import site_build, timetable  # noqa: E402
from book.site_build import LECTURES  # noqa: E402
from book.slides import SHOWN  # noqa: E402

PARTS = 7
LEAST_SLIDES = 34
pytestmark = [
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="Sphinx 9 needs Python 3.11"),
]
# What a page loads by itself; a link that a reader follows is no request.
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """A page's ids, links, loaded files, images, headings and slides."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.ids, self.links = path, Counter(), []
        self.loaded, self.images, self.headings, self.notes = [], [], [], 0
        self.sections = []  # the class of each slide of a deck, in order
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if found.get("id"):
            self.ids[found["id"]] += 1
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in LOADED and found.get(LOADED[tag]) and found.get("rel") != "canonical":
            self.loaded.append(found[LOADED[tag]])
        if tag == "img":
            self.images.append(found.get("alt"))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        kind = set((found.get("class") or "").split()) & {
            "hook",
            "slide",
            *SHOWN.values(),
            "activity",
        }
        self.sections += kind if tag == "div" else ()
        self.notes += tag == "aside" and "notes" in (found.get("class") or "").split()


@pytest.fixture(scope="module")
def pages(site):
    paths = (p for p in site.rglob("*.html") if "_static" not in p.parts)
    return {path.relative_to(site).as_posix(): Page(path) for path in paths}


def lectures(pages, folder=""):
    names = (re.fullmatch(rf"{folder}part\d_\w+\.html", name) for name in pages)
    return sorted(name[0] for name in names if name)


def test_every_part_is_a_page_and_a_deck(pages):
    assert len(lectures(pages)) == PARTS
    assert [f"slides/{name}" for name in lectures(pages)] == lectures(pages, "slides/")


def test_there_are_slides_and_each_has_notes(pages):
    counts = {}
    for name in lectures(pages, "slides/"):
        slides = pages[name].sections.count("slide")
        assert pages[name].notes == slides, name
        counts[name] = slides
    assert min(counts.values()) >= 4, counts
    assert sum(counts.values()) >= LEAST_SLIDES, counts


def test_a_deck_begins_with_the_hook_stops_at_activities_and_ends_with_the_recap(pages):
    for name in lectures(pages, "slides/"):
        sections = pages[name].sections
        assert (sections[0], sections[-1]) == ("hook", "recap"), name
        assert sections.count("outcomes") == 1, name
        part = LECTURES / name.replace("slides/", "").replace(".html", ".md")
        assert sections.count("activity") == len(timetable.of_lecture(part).activities), name
        assert len(sections) == pages[name].headings.count(2), name


def test_the_lines_of_a_derivation_come_one_at_a_time(site):
    deck = (site / "slides/part2_self_attention.html").read_text(encoding="utf-8")
    assert deck.count('<li class="fragment">') == 6
    assert "fragment" not in (site / "part2_self_attention.html").read_text(encoding="utf-8")


def test_no_page_asks_another_server(site, pages):
    for name, page in pages.items():
        assert not [one for one in page.loaded if urlsplit(one).netloc], name
        for sheet in (one for one in page.loaded if urlsplit(one).path.endswith(".css")):
            text = ((site / name).parent / urlsplit(sheet).path).read_text(encoding="utf-8")
            assert not re.search(r"(@import|url\()[\s'\"]*(https?:)?//", text), sheet


def test_every_link_and_file_within_the_site_exists(site, pages):
    missing = []
    for name, page in pages.items():
        for link in [*page.links, *page.loaded]:
            split = urlsplit(link)
            if split.scheme or split.netloc:
                continue
            path = (site / name).parent / unquote(split.path) if split.path else site / name
            if not path.exists():
                missing.append(f"{name}: {link}")
            target = pages.get(path.resolve().relative_to(site.resolve()).as_posix())
            anchor = unquote(split.fragment)
            if target and anchor and not anchor.startswith("/") and anchor not in target.ids:
                missing.append(f"{name}: {link} (no such anchor)")
    assert not missing


def test_every_picture_says_what_it_shows(pages):
    silent = [name for name, page in pages.items() for alt in page.images if alt in (None, "")]
    assert not silent


def test_headings_leave_no_level_out(pages):
    for name in lectures(pages):
        levels = pages[name].headings[2:]  # the theme prints title and contents before the page
        assert levels.count(1) == 1, name
        later = zip(levels, levels[1:], strict=False)
        assert all(next_one <= one + 1 for one, next_one in later), name


def test_students_see_no_answers_of_their_week_and_no_pages_for_instructors(students_site, site):
    part = (students_site / "part2_self_attention.html").read_text(encoding="utf-8")
    assert "NotImplementedError" in part
    assert "NotImplementedError" not in (site / "part2_self_attention.html").read_text("utf-8")
    assert not (students_site / site_build.INSTRUCTORS).exists()
    assert (site / site_build.INSTRUCTORS).is_dir()


def test_a_mistake_names_its_file_and_line(tmp_path, monkeypatch):
    lectures = tmp_path / "lectures"
    lectures.mkdir()
    (lectures / "conf.py").write_text(
        'extensions = ["myst_parser", "sphinx_revealjs"]\n', encoding="utf-8"
    )
    (lectures / "index.md").write_text("# Title\n\n{nothing}`like this`\n", encoding="utf-8")
    monkeypatch.setattr(site_build, "LECTURES", lectures)
    with pytest.raises(site_build.SiteError, match=r"index\.md:3"):
        site_build.build(tmp_path / "site", tmp_path / "cache", 0, print)

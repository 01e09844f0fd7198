"""The built site: its parts, slides and links, and that a page asks nothing of another server."""

import re
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from book import parts_shown, release_pages, site_build  # noqa: E402
from book.decks.slides import SHOWN  # noqa: E402
from book.documents import study_plan  # noqa: E402
from book.screen import page_files, symbols  # noqa: E402
from book.site_build import LECTURES  # noqa: E402
from book.weeks import activities_of  # noqa: E402
from grader.course.course import Course  # noqa: E402

LEAST_SLIDES = 5  # a part
pytestmark = pytest.mark.xdist_group("site")
# What a page loads by itself; a link that a reader follows is no request.
LOADED = "//img/@src|//script/@src|//link[not(@rel='canonical')]/@href|//iframe/@src|//source/@src"
BOXES = {"hook", "slide", *SHOWN.values(), "activity"}  # of a deck


def read(site):
    paths = (p for p in site.rglob("*.html") if "_static" not in p.parts)
    return {p.relative_to(site).as_posix(): html.parse(str(p)).getroot() for p in paths}


@pytest.fixture(scope="module")
def pages(site):
    return read(site)


def headings(page):
    return [int(one.tag[1]) for one in page.xpath("//h1|//h2|//h3|//h4|//h5|//h6")]


def boxes(page):
    """The class of each slide of a deck, in order."""
    return [kind for one in page.iter("div") for kind in one.classes if kind in BOXES]


def lectures(pages, folder=""):
    names = (re.fullmatch(rf"{folder}part\d+_\w+\.html", name) for name in pages)
    return sorted(name[0] for name in names if name)


def test_every_part_is_a_page_a_deck_and_a_notebook(pages, site, course):
    assert len(lectures(pages)) == len(course.parts)
    assert [f"slides/{name}" for name in lectures(pages)] == lectures(pages, "slides/")
    notebooks = sorted(path.stem for path in (site / "notebooks").glob("*.ipynb"))
    assert [name.removesuffix(".html") for name in lectures(pages)] == notebooks


def test_each_slide_and_each_activity_has_notes(pages):
    counts = {}
    for name in lectures(pages, "slides/"):
        kinds, notes = boxes(pages[name]), pages[name].iter("aside")
        slides = kinds.count("slide")
        assert sum("notes" in one.classes for one in notes) == slides + kinds.count("activity"), (
            name
        )
        counts[name] = slides
    assert min(counts.values()) >= LEAST_SLIDES, counts


def test_a_deck_begins_with_the_hook_stops_at_activities_and_ends_with_the_recap(pages):
    for name in lectures(pages, "slides/"):
        sections = boxes(pages[name])
        assert (sections[0], sections[-1]) == ("hook", "recap"), name
        assert sections.count("outcomes") == 1, name
        part = LECTURES / name.replace("slides/", "").replace(".html", ".md")
        assert sections.count("activity") == len(activities_of(part)), name
        assert len(sections) == headings(pages[name]).count(2), name


def test_the_lines_of_a_derivation_come_one_at_a_time(site):
    deck = (site / "slides/part2_self_attention.html").read_text(encoding="utf-8")
    assert deck.count('<li class="fragment">') == 6
    assert "fragment" not in (site / "part2_self_attention.html").read_text(encoding="utf-8")


def test_no_page_asks_another_server(site, pages):
    for name, page in pages.items():
        loaded = page.xpath(LOADED)
        assert not [one for one in loaded if urlsplit(one).netloc], name
        for sheet in (one for one in loaded if urlsplit(one).path.endswith(".css")):
            text = ((site / name).parent / urlsplit(sheet).path).read_text(encoding="utf-8")
            assert not re.search(r"(@import|url\()[\s'\"]*(https?:)?//", text), sheet


def links_into_nothing(site, pages):
    """Every link and loaded file within the site that is not there."""
    missing, ids = [], {name: set(page.xpath("//@id")) for name, page in pages.items()}
    for name, page in pages.items():
        for link in page.xpath(f"//a/@href|{LOADED}"):
            split = urlsplit(link)
            if split.scheme or split.netloc:
                continue
            path = (site / name).parent / unquote(split.path) if split.path else site / name
            if not path.exists():
                missing.append(f"{name}: {link}")
            target = ids.get(path.resolve().relative_to(site.resolve()).as_posix())
            anchor = unquote(split.fragment)
            if target and anchor and not anchor.startswith("/") and anchor not in target:
                missing.append(f"{name}: {link} (no such anchor)")
    return missing


def test_every_link_and_file_within_the_site_exists(site, pages):
    assert not links_into_nothing(site, pages)


def test_every_picture_says_what_it_shows(pages):
    silent = [
        name for name, page in pages.items() for one in page.iter("img") if not one.get("alt")
    ]
    assert not silent


def test_every_icon_is_drawn_by_our_style_sheet_and_the_theme_s_has_none(site, pages):
    static = site / "_static"
    texts = [(site / name).read_text(encoding="utf-8") for name in pages]
    texts += [path.read_text(encoding="utf-8") for path in static.glob("scripts/*.js")]
    shown = {icon for text in texts for icon in re.findall(r"\bfa-[a-z-]+", text)}
    drawn = set(re.findall(r"\.(fa-[a-z-]+)", (static / "icons.css").read_text(encoding="utf-8")))
    assert shown - drawn <= {"fa-solid", "fa-lg", "fa-fw"}  # no icons: a font's style and sizes
    theme = (site / page_files.THEME).read_text(encoding="utf-8")
    assert ".prev-next-area" in theme
    assert "--fa:" not in theme


def test_every_symbol_of_the_paper_in_a_text_is_typeset(site, pages):
    for name in pages:
        text = (site / name).read_text(encoding="utf-8")
        assert symbols.typeset(text) == text, name


def test_headings_leave_no_level_out(pages):
    for name in lectures(pages):
        levels = headings(pages[name])[2:]  # the theme prints title and contents before the page
        assert levels.count(1) == 1, name
        later = zip(levels, levels[1:], strict=False)
        assert all(next_one <= one + 1 for one, next_one in later), name


def test_students_see_no_answers_of_their_week_and_no_pages_for_instructors(students_site, site):
    part = (students_site / "part2_self_attention.html").read_text(encoding="utf-8")
    assert "NotImplementedError" in part
    assert "NotImplementedError" not in (site / "part2_self_attention.html").read_text("utf-8")
    assert not (students_site / site_build.INSTRUCTORS).exists()
    assert (site / site_build.INSTRUCTORS).is_dir()


def test_a_release_holds_the_lectures_of_its_weeks_and_leads_to_no_other(students_site, course):
    """Parts, decks, quizzes and notebooks; a later week is named, as text."""
    out = parts_shown.by_week(course, 1)
    assert out == [1, 2, 4]
    shown = read(students_site)
    assert links_into_nothing(students_site, shown) == []
    stems = [path.stem for path in parts_shown.shown(LECTURES, out)]
    decks = [f"slides/{stem}.html" for stem in stems]
    assert lectures(shown) == [f"{stem}.html" for stem in stems]
    assert lectures(shown, "slides/") == decks
    assert sorted(path.stem for path in (students_site / "notebooks").iterdir()) == stems
    assert {page for page in shown if page.startswith("quiz_")} == {
        f"quiz_part{number}.html" for number in out
    }
    listed = shown["slides.html"].xpath("//a[starts-with(@href, 'slides/')]/@href")
    assert {link.partition("?")[0] for link in listed} == {*decks}
    found = (students_site / "searchindex.js").read_text(encoding="utf-8")
    assert "part2_self_attention" in found
    assert "part5_architecture" not in found
    assert "Part 5: The Transformer architecture" in (students_site / "index.html").read_text(
        encoding="utf-8"
    )


def test_the_list_to_tick_of_a_release_names_no_page_of_a_later_week(course):
    weeks = [week for week in course.weeks if week.number <= 2]
    said = study_plan.of_release(course.model_copy(update={"weeks": weeks, "labs": []}))
    stems = {path.stem for path in parts_shown.shown(LECTURES, parts_shown.by_week(course, 2))}
    assert set(re.findall(r"lectures/(?:slides/)?(part\w+)\.html", said)) == stems
    assert set(re.findall(r"assignments/(\w+)/", said)) == {"a1", "a2"}


def test_a_release_holds_what_pages_need_and_shows_no_answer_that_is_closed(students_site, course):
    files = release_pages.read(students_site)
    assert not [name for name in files if name.split("/")[0] in release_pages.NOT_NEEDED]
    for page in ("index", "slides", "quiz_part1", "glossary", "paper_audit", "live"):
        assert f"{page}.html" in files
    assert sum(map(len, files.values())) < 25e6
    assert [release_pages.site_week(course, week, []) for week in (1, 4, 7)] == [1, 2, 2]
    everything = [assignment.id for assignment in course.assignments]
    assert release_pages.site_week(course, 7, everything) == 7


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


# The button that leads from a page to its file in the repository of the course


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Build one page with the settings of the lectures and this repository; returns its HTML."""
    from sphinx.application import Sphinx

    course = Course.here()

    def build(repository):
        facts = course.facts.model_copy(update={"source_repository": repository})
        ours = course.model_copy(update={"facts": facts})
        monkeypatch.setattr(Course, "here", lambda: ours)
        (tmp_path / "index.md").write_text("# A page\n", encoding="utf-8")
        lectures = course.root / "lectures"
        app = Sphinx(tmp_path, lectures, tmp_path / "out", tmp_path / "trees", "html", status=None)
        app.build()
        return (tmp_path / "out" / "index.html").read_text(encoding="utf-8")

    return build


def test_the_button_leads_to_the_pages_file(built):
    page = built("https://github.com/owner/course")
    links = re.findall(r'href="(https://github.com/[^"]+)"', page)
    assert "https://github.com/owner/course/edit/main/lectures/index.md" in links


def test_without_a_repository_there_is_no_button(built):
    assert "/edit/" not in built("")

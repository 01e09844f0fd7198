"""The button that leads from a page of the site to its file in the repository of the course."""

import re

import pytest

from grader.course.course import Course

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")


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

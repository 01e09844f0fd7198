"""What a newcomer sees first: README, its pictures, where it leads, and how to cite the course."""

import json
import re
import subprocess
from datetime import date

import pytest
import yaml
from checkout import ROOT

from book import front_pictures
from book.documents import front_page, generated_parts
from book.notebooks import readable
from book.quizzes import quiz
from course_lib import __version__
from grader.authoring import course_build
from grader.library.components import BuildError

README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
SECTIONS = re.findall(r"^## (.+)$", CHANGELOG, re.M)
READ = [
    *sorted((ROOT / "lectures" / "notebooks").glob("*.ipynb")),
    *sorted((ROOT / "lectures" / "quizzes").glob("*.md")),
]
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+) \((\d{4}-\d\d-\d\d)\)")


def test_readme_is_short_and_opens_with_what_the_site_opens_with(course):
    assert len(README.splitlines()) <= 120
    opening = front_page.PARTS["opening"](course)
    assert opening.startswith("In 2017 eight authors")
    assert README.index(opening) < README.index("<picture>") < README.index("## ")


def test_a_part_that_nobody_writes_is_refused(course):
    with pytest.raises(BuildError, match="no part 'weather'"):
        front_page.filled("<!-- front: weather --><!-- /front -->", course)


def test_badges_of_colab_appear_with_an_address(course):
    assert "colab" not in front_page.PARTS["chapters"](course)
    facts = {"student_repository": "https://github.com/o/c", "site": "https://o.github.io/c/"}
    ours = course.model_copy(update={"facts": course.facts.model_copy(update=facts)})
    table = front_page.PARTS["chapters"](ours)
    notebooks = re.findall(r"\(((?:assignments|lectures)/[\w/]+\.ipynb)\)", table)
    assert len(notebooks) == len(course.parts) + len(course.assignments) + len(course.labs)
    for path in notebooks:
        assert f"colab.research.google.com/github/o/c/blob/main/{path})" in table
    assert "(https://o.github.io/c/)" in front_page.PARTS["badges"](ours)
    for target in readable.targets(ours):
        assert target.text.count("colab.research.google.com/github/o/c/blob/main/lectures/") == 2


@pytest.mark.parametrize("picture", front_page.PICTURES, ids=lambda one: one.name)
def test_each_picture_is_there_in_light_and_dark_and_is_small(picture):
    for path in picture.paths:
        assert path in README
        assert (ROOT / path).stat().st_size <= 100_000
    assert len(picture.shows) > 50


def test_executed_lectures_can_be_read_and_are_small(course):
    made = list(readable.targets(course))
    assert len(made) == len(course.parts)
    for target in made:
        text = target.path.read_text(encoding="utf-8")
        assert len(text) < 1e6
        assert text.count('"image/png": "') >= 2, target.path.name
        assert not re.search(r"\{[\w:-]+\}`|^ +\"[:`]{3,}\{", text, re.M)
        assert '"output_type": "error"' not in text


@pytest.mark.parametrize("path", READ, ids=lambda path: path.stem)
def test_every_link_of_a_page_leads_somewhere(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert "../README.md" in links or path.stem == "ready"
    assert [to for to in links if not (path.parent / to).exists()] == []
    assert r"\operatorname" not in text or path.suffix == ".ipynb", "GitHub refuses it in a page"


@pytest.mark.parametrize("name", quiz.names())
def test_a_quiz_shows_its_answers_in_folds_only(name):
    asked = quiz.load(name).questions
    text = (quiz.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    shown = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    assert text.count("<details>") == len(asked)
    for question in asked:
        assert question.text.strip() in shown
        assert question.why.strip() in text
        assert question.why.strip() not in shown


def test_numbers_of_the_code_are_in_the_text_and_new_results_draw_anew(course, monkeypatch):
    part = next((ROOT / "lectures").glob("part1_*.md"))
    target = next(one for one in readable.targets(course) if part.stem in one.name)
    executed = json.loads(target.path.read_text(encoding="utf-8"))
    assert "`fall_RNN`" in target.text
    assert "`fall_RNN`" not in target.text_with(executed)
    assert target.drift() == ""
    reads = readable.build(course, part)["metadata"]["course"]["reads"]
    assert reads.keys() == {"compare_cpu.json"}
    monkeypatch.setattr(readable, "_read", lambda *_: [("compare_cpu.json", "another")])
    newer = next(one for one in readable.targets(course) if part.stem in one.name)
    assert newer.drift() == "differs from what its source generates"
    with pytest.raises(RuntimeError, match="running part1"):
        course_build._executed(newer, _stopped)


def _stopped(text):
    raise RuntimeError(text)


def test_pictures_need_what_they_show(course, tmp_path):
    with pytest.raises(front_pictures.NoPageError, match="run `course site build` first"):
        front_pictures.take(course, tmp_path, tmp_path, print)
    (tmp_path / "live.html").touch()
    with pytest.raises(front_pictures.NoPageError, match="run `make demo` first"):
        front_pictures.take(course, tmp_path, tmp_path, print)


@pytest.mark.parametrize(("before", "gap"), [("", "\n"), ("Text.\n", "\n"), ("Text: ", "")])
def test_a_built_part_at_the_beginning_of_a_line_is_markdown(before, gap):
    """After a comment, the rest of its line is shown as it is written."""
    marks = "<!-- part: one -->{}<!-- /part -->"
    empty, made = before + marks.format(""), before + marks.format(f"{gap}`code`")
    assert generated_parts.filled(empty, "part", lambda _: "`code`") == made
    assert generated_parts.filled(made, "part", lambda _: "`code`") == made


# How the course is cited, and what has changed.


def test_the_changelog_has_a_section_for_each_version_newest_first():
    found = [VERSION.fullmatch(title) for title in SECTIONS]
    assert all(found), SECTIONS
    numbers = [tuple(map(int, one.groups()[:3])) for one in found]
    assert numbers == sorted(set(numbers), reverse=True)
    dates = [date.fromisoformat(one[4]) for one in found]
    assert dates == sorted(dates, reverse=True)
    assert SECTIONS[0] == f"{__version__} ({CITATION['date-released']})"


def test_the_citation_has_what_its_format_requires():
    assert {"cff-version", "message", "title", "authors"} <= CITATION.keys()
    assert CITATION["cff-version"] == "1.2.0"
    assert str(CITATION["version"]) == __version__
    for author in (*CITATION["authors"], *CITATION["references"][0]["authors"]):
        assert author.keys() in ({"name"}, {"family-names", "given-names"})
    holder = CITATION["authors"][0]["name"]
    assert holder.lower() in (ROOT / "LICENSE").read_text(encoding="utf-8").lower()


# What `make` does without a target.


def test_make_alone_installs_and_says_what_to_do_next(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "tools/make_venv.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((ROOT / name).read_bytes())
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "ready").touch()  # installed already
    done = subprocess.run(["make"], cwd=tmp_path, capture_output=True, text=True, check=True)
    for reader in ("to read", "to learn", "to teach", "to grade"):
        assert f"  {reader} " in done.stdout
    assert "source .venv/bin/activate" in done.stdout
    assert len(done.stdout.splitlines()) <= 8

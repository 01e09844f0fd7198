"""Another course, about straight lines, through the same commands: the grader is an engine."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from checkout import EMPTY, ROOT, place

pytestmark = pytest.mark.xdist_group("other_course")  # it is built once

COURSE, STUDENT = "grader.cli", "grader.student"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A copy of the course with its notebooks built, outside of this checkout."""
    home = tmp_path_factory.mktemp("other") / "course"
    shutil.copytree(ROOT / "tests/other_course", home)
    said(home, COURSE, "build")
    return home


def said(home, program, *arguments, code=0):
    """What a command prints in a course's folder."""
    done = subprocess.run(
        [sys.executable, "-m", program, *map(str, arguments)],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stdout + done.stderr


def test_it_is_built_and_its_solution_runs(home):
    starter = (home / "assignments/line/line.ipynb").read_text(encoding="utf-8")
    assert 'NotImplementedError(\\"A1.1: fit_line is not written yet\\")' in starter
    solution = json.loads((home / "solutions/line.ipynb").read_text(encoding="utf-8"))
    shown = [o.get("data", {}) for c in solution["cells"] for o in c.get("outputs", ())]
    told = "".join("".join(data.get("text/plain", "")) for data in shown)
    assert "1.1 The line: 1 of 1 visible checks pass" in told
    assert "up to date" in said(home, COURSE, "build", "--check")


def test_it_is_proven_by_its_own_mistakes(home):
    proven = said(home, COURSE, "prove", "--seeds", "0,1", "--jobs", "1").splitlines()
    counts = [line.split()[-3:] for line in proven if line.startswith("line ")]
    assert len(counts) == 11
    assert all(held == total for held, _, total in counts), proven


def test_a_class_is_graded_and_a_mistake_named(home):
    for student, source in (
        ("ada", "solutions"),
        ("ben", "assignments/line"),
        ("cyd", "solutions"),
    ):
        place = home / "submitted" / student / "line"
        place.mkdir(parents=True)
        shutil.copy(home / source / "line.ipynb", place)
    wrong = home / "submitted/cyd/line/line.ipynb"
    text = wrong.read_text(encoding="utf-8")
    right = "np.sum((x - x_mean) ** 2)"
    assert right in text
    wrong.write_text(text.replace(right, "np.sum((y - y_mean) ** 2)"), encoding="utf-8")

    def points(*options):
        said(home, COURSE, "grade", "submitted", *options)
        results = json.loads((home / "out/grades/results.json").read_text(encoding="utf-8"))
        return {found["student"]: found["totals"]["automatic"] for found in results}

    assert points() == {"ada": 100, "ben": 0, "cyd": 0}
    page = (home / "out/grades/report/student-cyd.html").read_text(encoding="utf-8")
    assert "Up to 40 points more after the last late day, if a mistake in 1.1 explains" in page
    final = {"ada": 100, "ben": 0, "cyd": 40}
    assert points("--final") == final, "the second exercise is carried through"
    assert points() == final, "what counts stays"
    page = (home / "out/grades/report/student-ben.html").read_text(encoding="utf-8")
    page += (home / "out/grades/report/student-cyd.html").read_text(encoding="utf-8")
    assert "this divides by the variance of y: the line predicts y from x" in page
    assert "Straight lines" in page


@pytest.mark.parametrize("words", [("build", "--check"), ("grade", "one")])
def test_nobody_is_graded_without_right_forms_to_answer_the_questions(home, words):
    place(home / "one/ada/line/line.ipynb", EMPTY)
    reference = home / "hidden/line/reference.py"
    kept = reference.rename(home / "kept.py")
    try:
        assert "reference.py: there is no such file" in said(home, COURSE, *words, code=2)
    finally:
        kept.rename(reference)


@pytest.mark.long
def test_a_release_holds_no_answer(home):
    said(home, COURSE, "release", "--week", "1", "--to", "released")
    files = [path.read_bytes() for path in (home / "released").rglob("*") if path.is_file()]
    assert any(b"NotImplementedError" in data for data in files)
    assert not any(b"x_mean" in data for data in files)
    assert not (home / "released/lectures").exists()
    assert not (home / "released/hidden").exists()
    assert "1.1 The line: not written yet" in said(
        home / "released", STUDENT, "check", "line", code=1
    )


@pytest.mark.long
def test_a_release_holds_the_lectures_that_a_course_names_and_searches_them(home):
    facts = home / "course.toml"
    before = facts.read_text(encoding="utf-8")
    named = '[course.plugins]\nlectures = "pages:made"\nstudy_plan = "pages:plan"\n\n[[parts]]'
    facts.write_text(before.replace("[[parts]]", named, 1), encoding="utf-8")
    code = (
        "def plan(course):\n    return '## Lectures\\n\\nRead `lectures/index.html`.\\n'\n\n\n"
        "def made(course, week, answers):\n"
        "    return {'index.html': PAGE, '_static/font': b'\\xff'}\n"
    )
    asked = ("release", "--week", "1", "--to", "with_pages")
    try:
        (home / "pages.py").write_text(
            f"PAGE = b'<p>week by week</p>'\n\n\n{code}", encoding="utf-8"
        )
        said(home, COURSE, *asked)
        assert (home / "with_pages/lectures/_static/font").read_bytes() == b"\xff"
        assert "lectures/index.html" in (home / "with_pages/README.md").read_text(encoding="utf-8")
        assert "`lectures/`" not in (home / "with_pages/CHANGELOG.md").read_text(encoding="utf-8")
        source = (home / "regression/line.py").read_text(encoding="utf-8")
        shown = "".join(f"<span>{line}</span>\n" for line in source.splitlines())
        (home / "pages.py").write_text(f"PAGE = {shown!r}.encode()\n\n\n{code}", encoding="utf-8")
        said(home, COURSE, *asked, code=1)
        assert "x_mean" not in (home / "with_pages/lectures/index.html").read_text()
    finally:
        facts.write_text(before, encoding="utf-8")
        (home / "pages.py").unlink()

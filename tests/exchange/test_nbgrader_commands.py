"""nbgrader's own command line on the course made for it: hand out, collect, grade, give back."""

import json
import re
import shutil
import zipfile

import pytest
from in_process import printed
from nbgrader_class import CourseFolder, hand_in, without_answers
from world import table

from grader.authoring import nbgrader_folder as course_folder

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("nbgrader commands")]
STUDENTS = ("ada", "ben", "cleo", "dan")


@pytest.fixture(scope="module")
def made(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands") / "course"
    course_folder.write(course, folder)
    with (folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(f'c.Exchange.root = "{folder.parent / "exchange"}"\n')
    exchange = folder.parent / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)  # nbgrader wants it writable for everyone
    made = CourseFolder(folder)
    made.nbgrader("generate_assignment", "a1")
    return made


@pytest.mark.parametrize("id", ["a2", "a3", "a4", "a5"])
def test_every_assignment_is_generated_without_answers(made, course, id):
    made.nbgrader("generate_assignment", id)
    without_answers(course, course.assignment(id), made.notebook("release", id))


def test_a_solution_is_generated_with_the_model_answers(made):
    made.nbgrader("generate_solution", "a1")
    solution = made.path / "solution" / "a1" / "a1.ipynb"
    assert "NotImplementedError" not in solution.read_text(encoding="utf-8")


def test_the_exchange_hands_out_and_collects(made):
    made.nbgrader("release_assignment", "a1")
    assert "a1" in made.nbgrader("list")
    home = made.path.parent / "student"
    home.mkdir()
    shutil.copy(made.path / "nbgrader_config.py", home)
    student = CourseFolder(home)
    student.nbgrader("fetch_assignment", "a1")
    assert (home / "a1" / "a1.ipynb").is_file()
    assert (home / "a1" / "grader" / "checking" / "notebook.py").is_file()
    student.nbgrader("submit", "a1")
    made.nbgrader("collect", "a1")
    collected = next((made.path / "submitted").glob("*/a1/a1.ipynb"))
    assert (collected.parent / "timestamp.txt").is_file()
    shutil.rmtree(made.path / "submitted")


def test_zips_of_a_learning_platform_are_collected(made):
    archive = made.path / "downloaded" / "a1" / "archive"
    archive.mkdir(parents=True)
    with zipfile.ZipFile(archive / "notebooks.zip", "w") as file:
        release = made.path / "release" / "a1" / "a1.ipynb"
        file.write(release, "a1_ada_attempt_2027-02-01-12-00-00_a1.ipynb")
    names = r".+_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9\-]+)_(?P<file_id>\w+)"
    made.nbgrader("zip_collect", "a1", f"--FileNameCollectorPlugin.named_regexp={names}")
    assert (made.path / "submitted" / "ada" / "a1" / "a1.ipynb").is_file()
    shutil.rmtree(made.path / "submitted")


@pytest.fixture(scope="module")
def ours(made, course):
    """The class graded by `course nbgrader`, with marks from formgrader, and once more."""
    hand_in(made, course)
    made.graded()
    with made.book() as book:
        for cell, points in (("written-1-11-a", 3.0), ("check-1-3", 4.0)):
            grade = book.find_grade(cell, "a1", "a1", "ada")
            grade.manual_score, grade.needs_manual_grade = points, False
        book.find_comment("written-1-11-a", "a1", "a1", "ada").manual_comment = "Which factor?"
        book.db.commit()
    made.graded("--regrade")
    assert not (made.path / "ran").exists()
    return made.export()


def test_the_exported_totals_are_those_of_the_course(made, ours):
    rows = table((made.path / "grades" / "grades.csv").read_text(encoding="utf-8"))
    grades = {row["student"]: row for row in rows}
    assert set(grades) == set(ours) == set(STUDENTS)
    for student in STUDENTS:
        assert float(ours[student]["score"]) == float(grades[student]["total"]), student
        assert float(ours[student]["max_score"]) == float(grades[student]["max"]), student
    assert float(grades["ada"]["total"]) == 98 + 3 - 8 + 4


def test_marks_of_formgrader_survive_and_are_in_the_courses_report(made, ours):
    results = json.loads((made.path / "grades" / "results.json").read_text(encoding="utf-8"))
    ada = next(r for r in results if r["student"] == "ada")
    part = next(p for e in ada["exercises"] for p in e.get("parts", []) if p["id"] == "1.11.a")
    assert (part["points"], part["comment"]) == (3.0, "Which factor?")
    assert [(o["exercise"], o["points"], o["was"]) for o in ada["overrides"]] == [("1.3", 4.0, 8.0)]
    with made.book() as book:
        assert book.find_grade("check-1-3", "a1", "a1", "ada").manual_score == 4.0


def test_feedback_shows_points_and_why_they_were_lost(made, ours):
    made.nbgrader("generate_feedback", "a1", "--force")
    page = (made.path / "feedback" / "cleo" / "a1" / "a1.html").read_text(encoding="utf-8")
    assert "mask is ignored" in page
    score = re.escape(ours["cleo"]["score"])
    assert re.search(rf"Score: +{score} */ *100", page)


def test_grade_alone_gives_the_same_automatic_points(made, ours, tmp_path):
    options = ("--out", tmp_path, "--jobs", "1", "--assignment", "a1")
    printed("grade", made.path / "submitted", *options)
    alone, filled = (
        {r["student"]: r["totals"]["automatic"] for r in json.loads(path.read_text("utf-8"))}
        for path in (tmp_path / "results.json", made.path / "grades" / "results.json")
    )
    assert alone == filled | {"ada": filled["ada"] + 4}  # 1.3 was overridden by hand


def test_nbgrader_alone_gives_the_points_of_visible_checks_and_no_bonus(made, ours):
    """It also runs what was handed in, as `course nbgrader` does not."""
    with made.book() as book:  # without the marks of formgrader
        book.remove_submission("a1", "ada")
    shutil.rmtree(made.path / "submitted" / "dan")  # nbgrader ends with an error on such a file
    made.nbgrader("autograde", "a1", "--force")
    assert (made.path / "ran").exists()
    plain = made.export()
    assert float(plain["ada"]["score"]) == 88
    assert 70 < float(plain["cleo"]["score"]) < 88
    assert float(plain["ben"]["score"]) == 0
    assert {row["max_score"] for row in plain.values()} == {"100.0"}

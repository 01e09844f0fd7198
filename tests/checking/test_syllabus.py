"""course.toml: every error is one sentence with file and line."""

import datetime
import re
import shutil

import pytest
from checkout import ROOT, place, syllabus
from world_tables import cases

from grader.course.course import Course
from grader.course.course_file import CourseError

TEXT = (ROOT / "course.toml").read_text(encoding="utf-8")


def line_of(text: str) -> int:
    return TEXT[: TEXT.index(text)].count("\n") + 1


def record(id: str) -> str:
    """Where the record of an exercise is: "1.4", "L1.3"."""
    folder = f"labs/lab{id[1]}" if id[0] == "L" else f"a{id[0]}"
    return f"autograder/{folder}/exercise_{id.replace('.', '_')}/exercise.toml"


def refused(folder, name, old, new):
    """The sentence about a course in which one text of a file is changed, and its right text."""
    path, file = syllabus(folder), folder / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CourseError) as caught:
        Course.load(path)
    message = str(caught.value)
    assert "\n" not in message
    return message, text


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("due = 2027-02-15T23:59:00+00:00\n", "", None, "'due' is missing"),
        ('assignment = "a1"', 'assignment = "a7"', 'assignment = "a1"', "names a7, which does not"),
        ("week = 1\n", "week = 9\n", "week = 1\n", "is handed out in week 9, which does not"),
        ("week = 6\n", "week = 7\n", None, "handed out in week 7, but week 6 names it already"),
        ('"solutions/lab1.md"', '"solutions/lab1.md"\nlate_days = 3', None, "remove 'late_days'"),
        (
            'builds_on = ["a4"] #',
            'builds_on = ["a9"] #',
            None,
            "builds on a9, which does not exist",
        ),
        ('id = "a2"\n', 'id = "a9"\n', '[[assignments]]\nid = "a2"', "a9 has no exercises: add"),
        ('["4.1", "4.3"', '["4.3"', "exercises = [", "a4 and its folders differ in 4.1: correct"),
        (
            'prerequisites = ["matrix',
            'exercises = [{ id = "1.1" }]\nprerequisites = ["matrix',
            'prerequisites = ["matrix',
            "write each exercise in autograder/a1/exercise_N_M/exercise.toml",
        ),
        ("week = 6\n", "week = \n", None, "not valid TOML: "),
        ('path = ["1.1",', 'path = ["1.99",', "shortest_path", "has no exercise '1.99'"),
        ('path = ["1.1",', "path = [", "shortest_path", "1.4 of the shortest path depends on 1.1"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(tmp_path, old, new, line, told):
    message, text = refused(tmp_path, "course.toml", old, new)
    assert told in message
    assert re.match(r"course\.toml(, line \d+)?: ", message)
    if line:
        assert f"line {text[: text.index(line)].count(chr(10)) + 1}:" in message


@cases("in_a_record", "syllabus.toml")
def test_a_mistake_in_a_record_is_one_sentence_with_its_file_and_line(
    tmp_path, id, old, new, line, told
):
    message, text = refused(tmp_path, record(id), old, new)
    assert told in message
    assert message.startswith(record(id))
    if line:
        assert f"line {text[: text.index(line)].count(chr(10)) + 1}:" in message


@cases("in_two_files", "syllabus.toml")
def test_what_two_files_say_differently_names_one_of_them(tmp_path, name, old, new, told):
    place, _, told = told.partition(": ")
    message, _ = refused(tmp_path, record(name) if name else "course.toml", old, new)
    first = f"course.toml, line {line_of(place)}: " if name else record(place)
    assert message.startswith(first)
    assert told in message


@cases("folders", "syllabus.toml")
def test_a_folder_s_name_is_its_exercise_s_id(tmp_path, id, name, told):
    path = syllabus(tmp_path)
    folder = (tmp_path / record(id)).parent
    folder.rename(folder.with_name(name))
    with pytest.raises(CourseError, match=told):
        Course.load(path)


def test_a_record_that_changes_is_read_again(tmp_path):
    path, file = syllabus(tmp_path), tmp_path / record("1.1")
    assert Course.load(path) is Course.load(path)
    file.write_text(file.read_text(encoding="utf-8").replace("Softmax", "New"), encoding="utf-8")
    assert Course.load(path).assignment("a1").exercise("1.1").title == "New"


def test_exercises_are_in_order_of_number_unless_the_assignment_says_another():
    orders = [[e.id for e in a.exercises] for a in Course.here().notebooks]
    by_number = [sorted(ids, key=lambda id: int(id.partition(".")[2])) for ids in orders]
    other = [ids[0] for ids, sorted_ids in zip(orders, by_number, strict=True) if ids != sorted_ids]
    assert other == ["4.1"], "its bonuses come last"


def test_a_missing_file_says_where_to_run(tmp_path):
    with pytest.raises(CourseError, match="checkout of the course"):
        Course.load(tmp_path / "course.toml")


def test_a_mark_at_the_beginning_is_fine_and_another_encoding_is_told(tmp_path):
    path = syllabus(tmp_path)
    path.write_text(TEXT, encoding="utf-8-sig")
    assert Course.load(path).facts.title
    path.write_text("# für alle\n" + TEXT, encoding="latin-1", errors="replace")
    with pytest.raises(CourseError, match="course.toml: not UTF-8 text"):
        Course.load(path)


@cases("due_dates", "syllabus.toml")
def test_a_due_date_without_a_zone_is_in_that_of_the_course(tmp_path, due, zone, utc):
    old, path = "due = 2027-02-08T23:59:00+00:00", syllabus(tmp_path)
    text = TEXT.replace(old, f"due = {due}", 1).replace('timezone = "UTC"', f'timezone = "{zone}"')
    assert old in TEXT
    path.write_text(text, encoding="utf-8")
    when = Course.load(path).assignment("a1").due.astimezone(datetime.timezone.utc)
    assert when.isoformat()[:16] == utc


def test_dependencies_are_transitive(course):
    a1 = course.assignment("a1")
    assert a1.upstream(a1.exercise("1.5")) == ["1.1", "1.2", "1.3", "1.4"]
    assert "1.5" in a1.downstream("1.1")
    with pytest.raises(KeyError, match=r"no exercise '1\.99'"):
        a1.exercise("1.99")


def test_all_clocks_agree():
    """Weeks are counted from the first release; an assignment lasts as long as its weeks."""
    course = Course.here()
    start, week = course.assignments[0].released, datetime.timedelta(weeks=1)
    for assignment in course.assignments:
        weeks = course.weeks_of(assignment)
        assert weeks == list(range(assignment.week, weeks[-1] + 1)), assignment.id
        assert assignment.released == start + week * (weeks[0] - 1), assignment.id
        assert assignment.due.date() == start + week * weeks[-1], assignment.id
    assert [len(course.weeks_of(assignment)) for assignment in course.assignments] == [
        1,
        1,
        1,
        2,
        2,
    ]


def test_every_part_is_taught_and_positions_where_they_are_exercised():
    course = Course.here()
    taught = [number for week in course.weeks for number in week.whole]
    assert sorted(taught) == [part.number for part in course.parts]
    (positions,) = (part.number for part in course.parts if part.title == "Positional encoding")
    exercised = course.weeks_of(course.assignment_of("3.1"))
    assert [week.number for week in course.weeks if positions in week.whole] == exercised


EXAM = """\
id = "exam"
title = "Attention on paper"
build = "attention"
source = "solutions/exam.md"
week = 1
released = 2027-04-01
due = 2027-04-01T11:00:00+00:00
late_days = 0
late_penalty_percent = 0
weight_percent = 0
seed = 1
compute = "CPU"
prerequisites = []
imports = ["torch"]
"""
PART = """\
title = "Attention"
points = 100
minutes = 90
difficulty = 2
section = "§3.2.1"
components = ["course_lib.attention:attention"]
"""


def test_an_exam_beside_the_course_is_graded_but_is_no_assignment(tmp_path):
    path = syllabus(tmp_path)
    shutil.rmtree(tmp_path / "autograder/exam")
    assert Course.load(path).exam is None
    place(tmp_path / "exam.toml", EXAM)
    place(tmp_path / "autograder/exam/exercise_0_1/exercise.toml", PART)
    found = Course.load(path)
    ids = [assignment.id for assignment in found.assignments]
    assert "exam" not in ids
    assert "exam" not in found.weights
    assert [assignment.id for assignment in found.graded] == [*ids, "exam"]
    assert found.assignment_of("0.1") is found.assignment("exam")
    assert found.assignment_of("1.1") is found.assignment("a1")


def test_a_mistake_in_the_exam_names_its_file(tmp_path):
    path = syllabus(tmp_path)
    shutil.rmtree(tmp_path / "autograder/exam")
    place(tmp_path / "exam.toml", EXAM)
    broken = PART.replace("points = 100", "points = 99")
    place(tmp_path / "autograder/exam/exercise_0_1/exercise.toml", broken)
    with pytest.raises(CourseError, match=r"exam\.toml, line 1: .*have 99 points"):
        Course.load(path)

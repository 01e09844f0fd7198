"""course.toml: every error is one sentence with file and line."""

import datetime
import re

import pytest
from checkout import ROOT

from grader.course.course import Course
from grader.course.course_file import CourseError

TEXT = (ROOT / "course.toml").read_text(encoding="utf-8")


def line_of(text: str) -> int:
    return TEXT[: TEXT.index(text)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("points = 18", "points = 19", "[[assignments]]", "have 101 points"),
        ("minutes = 30\n", "minuts = 30\n", "minutes = 30\n", "unknown key 'minuts'"),
        ("due = 2027-02-15T23:59:00+00:00\n", "", None, "'due' is missing"),
        ("difficulty = 3", "difficulty = 9", "difficulty = 3", "difficulty = 9"),
        (
            'title = "Order", points = 4',
            'title = "Order", points = 5',
            "points = 12\nminutes = 20\ndifficulty = 3",
            "the parts of exercise 1.11 have 13 points",
        ),
        (
            'depends_on = ["1.1", "1.3"]',
            'depends_on = ["1.9"]',
            'depends_on = ["1.1", "1.3"]',
            "1.4 depends on 1.9, which does not come before it",
        ),
        (
            'depends_on = ["1.1", "1.3"]',
            'depends_on = ["1.77"]',
            'depends_on = ["1.1", "1.3"]',
            "1.4 depends on 1.77, which does not exist",
        ),
        ('id = "1.2"', 'id = "1.1"', 'id = "1.2"', "is in a1 twice"),
        ('assignment = "a1"', 'assignment = "a7"', 'assignment = "a1"', "names a7, which does not"),
        ("week = 1\n", "week = 9\n", "week = 1\n", "is handed out in week 9, which does not"),
        ("week = 6\n", "week = 7\n", None, "handed out in week 7, but week 6 names it already"),
        (
            ', { part = 4, sections = ["Equivariant, not invariant"] }',
            "",
            'taught = { part = 4, section = "Equivariant, not invariant" }',
            "exercise 1.8 of week 1 is taught in week 3",
        ),
        (
            'taught = { part = 2, section = "All rows at once" }',
            'taught = { part = 99, section = "All rows at once" }',
            'taught = { part = 2, section = "All rows at once" }',
            "exercise 1.6 of week 1 is taught in no week",
        ),
        ("points = 18", "points = ", None, "line"),
        (
            '"What has been read"',
            '"What has been read"\npoints = 3',
            None,
            "has code and no points",
        ),
        ('"solutions/lab1.py"', '"solutions/lab1.py"\nlate_days = 3', None, "remove 'late_days'"),
        ('id = "L1.3"', 'id = "9.3"', None, "begin its id with a letter"),
        (
            'builds_on = ["a4"] #',
            'builds_on = ["a9"] #',
            None,
            "builds on a9, which does not exist",
        ),
        ('"Softmax"\npoints = 10', '"Softmax"', None, "has no points: give it some"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(tmp_path, old, new, line, told):
    assert old in TEXT
    path = tmp_path / "course.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CourseError) as caught:
        Course.load(path)
    message = str(caught.value)
    assert told in message
    assert re.match(r"course\.toml(, line \d+)?: ", message)
    assert "\n" not in message
    if line:
        assert f"line {line_of(line)}" in message


def test_a_missing_file_says_where_to_run(tmp_path):
    with pytest.raises(CourseError, match="checkout of the course"):
        Course.load(tmp_path / "course.toml")


def test_a_mark_at_the_beginning_is_fine_and_another_encoding_is_told(tmp_path):
    path = tmp_path / "course.toml"
    path.write_text(TEXT, encoding="utf-8-sig")
    assert Course.load(path).facts.title
    path.write_text("# für alle\n" + TEXT, encoding="latin-1", errors="replace")
    with pytest.raises(CourseError, match="course.toml: not UTF-8 text"):
        Course.load(path)


@pytest.mark.parametrize(
    ("due", "zone", "utc"),
    [
        ("2027-02-08T23:59:00", "Europe/Berlin", "2027-02-08T22:59"),
        ("2027-07-08 23:59:00", "Europe/Berlin", "2027-07-08T21:59"),
        ("2027-02-08T23:59:00", "UTC", "2027-02-08T23:59"),
        ("2027-02-08T23:59:00", "America/New_York", "2027-02-09T04:59"),
        ("2027-02-08T23:59:00+00:00", "Europe/Berlin", "2027-02-08T23:59"),
    ],
)
def test_a_due_date_without_a_zone_is_in_that_of_the_course(tmp_path, due, zone, utc):
    old, path = "due = 2027-02-08T23:59:00+00:00", tmp_path / "course.toml"
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
source = "solutions/exam.py"
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

[[exercises]]
id = "0.1"
title = "Attention"
points = 100
minutes = 90
difficulty = 2
section = "§3.2.1"
components = ["course_lib.attention:attention"]
"""


def test_an_exam_beside_the_course_is_graded_but_is_no_assignment(tmp_path):
    path = tmp_path / "course.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert Course.load(path).exam is None
    (tmp_path / "exam.toml").write_text(EXAM, encoding="utf-8")
    found = Course.load(path)
    ids = [assignment.id for assignment in found.assignments]
    assert "exam" not in ids
    assert "exam" not in found.weights
    assert [assignment.id for assignment in found.graded] == [*ids, "exam"]
    assert found.assignment_of("0.1") is found.assignment("exam")
    assert found.assignment_of("1.1") is found.assignment("a1")


def test_a_mistake_in_the_exam_names_its_file(tmp_path):
    path = tmp_path / "course.toml"
    path.write_text(TEXT, encoding="utf-8")
    broken = EXAM.replace("points = 100", "points = 99")
    (tmp_path / "exam.toml").write_text(broken, encoding="utf-8")
    with pytest.raises(CourseError, match=r"exam\.toml, line 1: .*have 99 points"):
        Course.load(path)

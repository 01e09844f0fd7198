"""course.toml: every error is one sentence with file and line."""

import pytest

from course_lib.course import syllabus
from course_lib.course.syllabus import ROOT, SyllabusError

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
        ("week = 1\n", "week = 9\n", "week = 1\n", "is due in week 9, which does not exist"),
        ("points = 18", "points = ", None, "line"),
        ("23:59:00+00:00", "23:59:00", "due = ", "time zone"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(tmp_path, old, new, line, told):
    path = tmp_path / "course.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SyllabusError) as caught:
        syllabus.load(path)
    message = str(caught.value)
    assert told in message
    assert str(path) in message
    assert "\n" not in message
    if line:
        assert f"line {line_of(line)}" in message


def test_a_missing_file_says_where_to_run(tmp_path):
    with pytest.raises(SyllabusError, match="checkout of the course"):
        syllabus.load(tmp_path / "course.toml")


def test_dependencies_are_transitive(course):
    a1 = course.assignment("a1")
    assert a1.upstream(a1.exercise("1.5")) == ["1.1", "1.2", "1.3", "1.4"]
    assert "1.5" in a1.downstream("1.1")
    with pytest.raises(KeyError, match=r"no exercise '1\.99'"):
        a1.exercise("1.99")

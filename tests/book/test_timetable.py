"""The timetable of a session is read from the lectures."""

import re

import pytest

pytest.importorskip(
    "sphinx", reason="the site's packages are not installed: pip install -e .[site]"
)

from checkout import ROOT

from book import timetable
from book import weeks as lectures
from grader.course.course import Course

PARTS = sorted((ROOT / "lectures").glob("part*.md"))
ACTIVITY = ":::{activity} Draw it\n:kind: live\n:minutes: 8\nDo it.\n:::\n"


def write(folder, name, minutes, text=""):
    page = f"# {name}\n\n## In class\n\n:Minutes in class: {minutes}\n\n{text}"
    (folder / f"{name}.md").write_text(page, encoding="utf-8")


def test_a_part_lists_its_activities(tmp_path):
    write(tmp_path, "part1", 15, ACTIVITY)
    (row,) = lectures.parts(tmp_path)
    assert row.activities == ("Draw it (live coding, 8)",)


def test_a_part_without_minutes_is_named(tmp_path):
    (tmp_path / "part1.md").write_text("# Part 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"part1\.md needs a title and a line"):
        lectures.parts(tmp_path)


def test_an_activity_without_minutes_is_named(tmp_path):
    write(tmp_path, "part1", 15, ACTIVITY.replace(":minutes: 8\n", ""))
    with pytest.raises(ValueError, match="give :kind: and :minutes:"):
        lectures.parts(tmp_path)


def test_the_parts_find_room_in_the_meetings():
    course = Course.here()
    minutes = [lectures.of_lecture(path).minutes for path in PARTS]
    assert len(PARTS) == len(course.parts)
    assert sum(minutes) <= 75 * sum(len(week.meetings) for week in course.weeks)


def minutes(activity):
    return int(re.search(r"(\d+)\)$", activity)[1])


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_the_activities_of_a_part_leave_time_for_its_slides(path):
    row = lectures.of_lecture(path)
    assert row.activities
    assert sum(map(minutes, row.activities)) <= 0.7 * row.minutes


def test_the_activities_that_the_page_for_teachers_names_exist():
    named = re.findall(r"\*([^*]+)\*\s+\((\d+)", (ROOT / "lectures/teaching.md").read_text("utf-8"))
    assert len(named) >= 3
    given = [one for path in PARTS for one in lectures.of_lecture(path).activities]
    for title, taken in named:
        name = " ".join(title.split())
        assert [one for one in given if one.startswith(name) and minutes(one) == int(taken)], name


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_the_field_before_class_says_up_to_which_heading(path):
    text = path.read_text(encoding="utf-8")
    assert re.search(r"^:Before class: .*this page up to \*", text, re.MULTILINE)
    named = re.findall(r"this page up to \*([^*]+)\*", text)
    headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    assert set(named) <= set(headings)


COURSE = Course.here()
EXERCISES = [
    exercise
    for assignment in [*COURSE.assignments, *COURSE.labs]
    for exercise in assignment.exercises
]


def headings(part):
    (path,) = (ROOT / "lectures").glob(f"part{part}_*.md")
    return re.findall(r"^##+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_every_exercise_is_taught_in_a_section_that_exists(exercise):
    """That its week is not later is checked whenever `course.toml` is read."""
    assert exercise.taught, "say in course.toml which section teaches it"
    assert headings(exercise.taught.part).count(exercise.taught.section) == 1


def test_the_sections_of_each_meeting_exist():
    for week in COURSE.weeks:
        for lesson in week.lessons:
            assert set(lesson.sections) <= set(headings(lesson.part)), week.number


MEETINGS = {
    f"{week.number}.{number}": meeting
    for week in COURSE.weeks
    for number, meeting in enumerate(week.meetings, 1)
}


def of_meeting(find, meeting):
    return [one for lesson in meeting for one in find(COURSE, lesson, ROOT / "lectures")]


@pytest.mark.parametrize("name", MEETINGS)
def test_a_meeting_can_be_taught(name):
    """75 minutes: 8 to 14 slides with content, 15 to 40 minutes in which students work."""
    shown = of_meeting(timetable.slides, MEETINGS[name])
    does = of_meeting(timetable.activities, MEETINGS[name])
    assert 8 <= len(shown) <= 14, [slide.title for slide in shown]
    assert 15 <= sum(one.minutes_in_class for one in does) <= 40, [str(one) for one in does]


@pytest.mark.parametrize("find", [timetable.activities, timetable.slides])
def test_every_activity_and_slide_has_its_meeting(find):
    in_a_meeting = [one for meeting in MEETINGS.values() for one in of_meeting(find, meeting)]
    whole = {timetable.activities: lectures.activities_of, timetable.slides: lectures.slides_of}
    assert sorted(map(repr, in_a_meeting)) == sorted(
        repr(one) for path in PARTS for one in whole[find](path)
    )


BOX = re.compile(r"^(:{3,})\{(activity|slide)\} (.+?)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_every_slide_and_activity_has_notes(path):
    """What to ask, what comes, when to stop: a substitute teacher has nothing else."""
    boxes = [(title, text) for _, _, title, text in BOX.findall(path.read_text(encoding="utf-8"))]
    assert len(boxes) == len(lectures.activities_of(path)) + len(lectures.slides_of(path))
    assert [title for title, text in boxes if len(text.partition("{notes}")[2].split()) < 20] == []


@pytest.mark.parametrize("page", [r"^part(\d+)_\w+$", r"^quiz_part(\d+)$"])
def test_the_contents_list_parts_and_quizzes_in_their_order(page):
    contents = (ROOT / "lectures" / "index.md").read_text(encoding="utf-8")
    listed = [int(number) for number in re.findall(page, contents, re.MULTILINE)]
    assert listed == [part.number for part in COURSE.parts]

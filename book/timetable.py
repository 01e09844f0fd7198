"""The timetables: what each part and each meeting takes in class, and what students do in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from grader.course.course import Course
from grader.course.course_facts import Lesson

from . import references
from .weeks import Activity, Row, Slide, activities_of, parts, slides_of


class TimetableDirective(SphinxDirective):
    """`{timetable}`: how long each part takes, and what students do in it."""

    def run(self) -> list[nodes.Node]:
        try:
            rows = parts(Path(self.env.srcdir))
        except ValueError as error:
            raise self.error(str(error)) from None
        self.env.note_reread()
        return [table(list(_parts(rows)), (1, 4, 5))]


def _parts(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    yield "Minutes", "Part", "What students do in it (minutes)"
    for row in rows:
        yield str(row.minutes), row.title, "; ".join(row.activities) or "–"
    yield str(sum(row.minutes for row in rows)), "All", "–"


Found = TypeVar("Found", Activity, Slide)


def activities(course: Course, lesson: Lesson, lectures: Path) -> list[Activity]:
    """The students' activities in a lesson: those of its sections, or of all that none names.

    Raises ValueError for an activity without its minutes.
    """
    return _taught(course, lesson, activities_of(_page(lesson, lectures)))


def slides(course: Course, lesson: Lesson, lectures: Path) -> list[Slide]:
    """The slides of a lesson; those before a part's first section open its first lesson."""
    return _taught(course, lesson, slides_of(_page(lesson, lectures)))


def _page(lesson: Lesson, lectures: Path) -> Path:
    return lectures / f"{references.page_of_part(f'part {lesson.part}')}.md"


def _taught(course: Course, lesson: Lesson, found: list[Found]) -> list[Found]:
    of_part = [one for week in course.weeks for one in week.lessons if one.part == lesson.part]
    elsewhere = {section for one in of_part for section in one.sections}
    return [
        one
        for one in found
        if (lesson == of_part[0] if not one.section else one.section in lesson.sections)
        or (not lesson.sections and one.section and one.section not in elsewhere)
    ]


class MeetingsDirective(SphinxDirective):
    """`{meetings}` with `minutes`, the length of a meeting."""

    option_spec = {"minutes": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        references.note_syllabus(self.env)
        self.env.note_reread()  # the activities are in other pages
        try:
            rows = list(_meetings(Course.here(), Path(self.env.srcdir), self.options["minutes"]))
        except ValueError as error:
            raise self.error(str(error)) from None
        return [table(rows, (1, 5, 5, 1, 2))]


def _meetings(course: Course, lectures: Path, minutes: int) -> Iterator[tuple[str, ...]]:
    yield "Week", "What is taught", "What students do in it (minutes)", "Slides", "Left for them"
    for week in course.weeks:
        for number, meeting in enumerate(week.meetings, 1):
            does = [one for lesson in meeting for one in activities(course, lesson, lectures)]
            taught = "; ".join(lesson_text(course, lesson) for lesson in meeting)
            left = minutes - sum(activity.minutes_in_class for activity in does)
            shown = sum(len(slides(course, lesson, lectures)) for lesson in meeting)
            said_of_all = "; ".join(map(str, does)) or "–"
            yield f"{week.number}.{number}", taught, said_of_all, str(shown), str(left)


def lesson_text(course: Course, lesson: Lesson) -> str:
    """A lesson in words: "part 5: One shape all the way through"."""
    title = next(part.title for part in course.parts if part.number == lesson.part)
    rest = any(
        other.sections and other.part == lesson.part
        for week in course.weeks
        for other in week.lessons
    )
    if lesson.sections:
        return f"part {lesson.part}: {', '.join(lesson.sections)}"
    return f"part {lesson.part}, {title}{': the rest' if rest else ''}"


def table(cells: list[tuple[str, ...]], widths: tuple[int, ...]) -> nodes.table:
    """A table whose first row is its head."""
    rows = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in texts))
        for texts in cells
    ]
    columns = [nodes.colspec(colwidth=width) for width in widths]
    body = nodes.tbody("", *rows[1:])
    group = nodes.tgroup("", *columns, nodes.thead("", rows[0]), body, cols=len(columns))
    return nodes.table("", group)


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("meetings", MeetingsDirective)
    app.add_directive("timetable", TimetableDirective)

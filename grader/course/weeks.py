"""Parts of the lecture, the weeks that teach them, and which section teaches an exercise."""

from collections.abc import Iterable

from .exercise import Taught
from .table import Table


class Part(Table):
    """One part of the lecture."""

    number: int
    title: str


class Lesson(Table):
    """A part in one meeting: some of its sections, or all that no other meeting names."""

    part: int
    sections: list[str] = []


class Week(Table):
    """The topics of a week's meetings, and the assignment that students work on."""

    number: int
    meetings: list[list[Lesson]]
    assignment: str | None = None

    @property
    def lessons(self) -> list[Lesson]:
        return [lesson for meeting in self.meetings for lesson in meeting]

    @property
    def whole(self) -> list[int]:
        """The numbers of the parts that are taught but for the sections that others name."""
        return [lesson.part for lesson in self.lessons if not lesson.sections]

    @property
    def parts(self) -> list[int]:
        """The numbers of the parts of which something is taught, each once."""
        return list(dict.fromkeys(lesson.part for lesson in self.lessons))


def week_of(taught: Taught, weeks: Iterable[Week]) -> int | None:
    """The first week that teaches a section: the one that names it, or has the rest of its part."""
    lessons = [
        (week.number, lesson)
        for week in weeks
        for lesson in week.lessons
        if lesson.part == taught.part
    ]
    named = (number for number, lesson in lessons if taught.section in lesson.sections)
    rest = (number for number, lesson in lessons if not lesson.sections)
    return next(named, next(rest, None))

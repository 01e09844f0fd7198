"""The weeks of the syllabus and the parts of the lectures, as pages and README show them.

How long a part takes, and what students do in it, is read from its file; no Sphinx is needed.
"""

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_facts import Lesson

KINDS = {
    "live": "Live coding",
    "discussion": "Discussion",
    "derivation": "Derivation",
    "home": "At home",
}
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_PAGE = re.compile(r"part(\d+)")
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_MINUTES = re.compile(r"^\W*Minutes in class:\W*(\d+)", re.MULTILINE)
_SLIDE = re.compile(r"^:{3,}\{slide\} (.+)$", re.MULTILINE)
_BEGUN = re.compile(r"^[:`]{3,}\{activity\}", re.MULTILINE)
_ACTIVITY = re.compile(
    rf"{_BEGUN.pattern} (?P<title>.+)\n"
    rf":kind: (?P<kind>{'|'.join(KINDS)})\n:minutes: (?P<minutes>\d+)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Slide:
    """A slide with content, and its section of a part: "" before the first."""

    title: str
    section: str


@dataclass(frozen=True)
class Activity:
    """An activity of students, in class or at home, and its section of a part."""

    title: str
    kind: str
    minutes: int
    section: str

    @property
    def minutes_in_class(self) -> int:
        return 0 if self.kind == KINDS["home"].lower() else self.minutes

    def __str__(self) -> str:
        return f"{self.title} ({self.kind}, {self.minutes})"


@dataclass(frozen=True)
class Row:
    """One part: its minutes, and what students do themselves in it."""

    title: str
    minutes: int
    activities: tuple[str, ...] = ()


def of_lecture(path: Path) -> Row:
    """The row of one part. Raises ValueError for a part or an activity without its minutes."""
    text = path.read_text(encoding="utf-8")
    title, minutes = _TITLE.search(text), _MINUTES.search(text)
    if title is None or minutes is None:
        raise ValueError(f"{path.name} needs a title and a line `Minutes in class: N`")
    activities = tuple(str(activity) for activity in activities_of(path))
    return Row(title[1], int(minutes[1]), activities)


def activities_of(path: Path) -> list[Activity]:
    """The activities of a part in order. Raises ValueError for one without kind or minutes."""
    text = path.read_text(encoding="utf-8")
    found = list(_ACTIVITY.finditer(text))
    if len(found) < len(_BEGUN.findall(text)):
        raise ValueError(f"{path.name}: after each activity's title, give :kind: and :minutes:")
    return [
        Activity(
            activity["title"],
            KINDS[activity["kind"]].lower(),
            int(activity["minutes"]),
            _section(text, activity),
        )
        for activity in found
    ]


def slides_of(path: Path) -> list[Slide]:
    """The slides of a part that have content of their own, in order."""
    text = path.read_text(encoding="utf-8")
    return [Slide(slide[1], _section(text, slide)) for slide in _SLIDE.finditer(text)]


def _section(text: str, found: re.Match[str]) -> str:
    """The section in which a match begins."""
    return (_SECTION.findall(text[: found.start()]) or [""])[-1]


def lectures(folder: Path) -> list[Path]:
    """The files of the parts in their order: part 10 after part 9."""
    found = ((_PAGE.match(path.stem), path) for path in folder.glob("part*.md"))
    return [path for _, path in sorted((int(match[1]), path) for match, path in found if match)]


def parts(folder: Path) -> list[Row]:
    """The parts in order. Raises ValueError for a part or an activity without its minutes."""
    return [of_lecture(path) for path in lectures(folder)]


def step_of(number: int) -> str:
    """The name of a part as a step that is marked as done, and of its quiz's file."""
    return f"part{number}"


@dataclass(frozen=True)
class Stage:
    """Weeks that are spent on one assignment, and what is read meanwhile."""

    weeks: tuple[int, ...]
    lessons: tuple[Lesson, ...]
    assignment: Assignment | None

    @property
    def title(self) -> str:
        several = len(self.weeks) > 1
        return f"Weeks {self.weeks[0]}–{self.weeks[-1]}" if several else f"Week {self.weeks[0]}"


def stages(course: Course) -> list[Stage]:
    """The weeks in order; those with the same assignment are one stage."""
    found = []
    for id, group in groupby(course.weeks, key=lambda week: week.assignment):
        weeks = list(group)
        lessons = tuple(lesson for week in weeks for lesson in week.lessons)
        numbers = tuple(week.number for week in weeks)
        found.append(Stage(numbers, lessons, course.assignment(id) if id else None))
    return found

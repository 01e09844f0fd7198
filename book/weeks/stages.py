"""The weeks of the syllabus, together where one assignment takes several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.weeks import Lesson


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

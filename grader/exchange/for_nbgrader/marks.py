"""Reads the marks and comments that people entered in nbgrader's formgrader.

A score given to a written part is its mark; one given to an automatic cell overrides the points of
that exercise. Extra credit is added. Comments belong to the cells that students fill in.

Formgrader keeps a mark when the answer changes, and only flags it for review. Such a mark is held
here. It counts once formgrader's flag is gone, if that flag was set for the answer of now: then a
person has confirmed it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook import nbgrader_cells

from ...gradebook import answers
from ...gradebook.manual import Item, ManualMark, ManualMarks
from ...gradebook.result import Result

if TYPE_CHECKING:
    from nbgrader.api import Gradebook


MARKER = "formgrader"  # who gives these marks: nbgrader does not say
ASKED = "formgrader, asked again"  # a held mark, once formgrader shows that it needs a person


@dataclass(frozen=True)
class FoundMarks:
    """The marks, those that formgrader has flagged, and a sentence for each that cannot be used."""

    manual: ManualMarks
    flagged: frozenset[Item] = frozenset()
    warnings: list[str] = field(default_factory=list)

    def confirmed(self, kept: ManualMarks, newest: Mapping[str, Result]) -> ManualMarks:
        """The marks, each that a person has confirmed since it was held with the answer of now.

        `newest`: the stored result of each student.
        """
        marks = {
            item: replace(mark, answer_sha256=answers.sha256_of(newest.get(item[0]), item[2]))
            if item not in self.flagged and item in kept.marks and kept.marks[item].marker == ASKED
            else mark
            for item, mark in self.manual.marks.items()
        }
        return ManualMarks(self.manual.course, marks)


def asked_again(kept: ManualMarks, results: Iterable[Result]) -> dict[Item, ManualMark]:
    """The marks to store once formgrader has flagged those that are held in these results."""
    held = [(r.student, r.assignment, mark.item) for r in results for mark in r.held]
    return {
        item: replace(kept.marks[item], marker=ASKED)
        for item in held
        if kept.marks[item].marker != ASKED
    }


@dataclass(frozen=True)
class _Place:
    """Where formgrader keeps the mark of an item."""

    item: str
    most: float
    grade: str
    comments: tuple[str, ...]


def read(
    book: "Gradebook",
    course: Course,
    assignment: Assignment,
    student: Callable[[str], str] = str,
) -> FoundMarks:
    """All marks of an assignment in the gradebook; `student` makes our names of nbgrader's."""
    marks: dict[Item, ManualMark] = {}
    flagged: set[Item] = set()
    warnings: list[str] = []
    for submission in book.assignment_submissions(assignment.id):
        notebooks = [n for n in submission.notebooks if n.name == assignment.id]
        grades = {grade.name: grade for n in notebooks for grade in n.grades}
        comments = {c.name: c.manual_comment for n in notebooks for c in n.comments}
        for place in _places(assignment):
            points = _points(grades[place.grade]) if place.grade in grades else None
            said = [comments.get(name) for name in place.comments]
            comment = "\n".join(text.strip() for text in said if text and text.strip())
            if points is not None and not 0 <= points <= place.most:
                warnings.append(
                    f"{submission.student.id} has {points:g} points for {place.item} in formgrader,"
                    f" which allows 0 to {place.most:g}: not taken over, so the totals differ"
                )
            elif points is not None or comment:
                key = (student(submission.student.id), assignment.id, place.item)
                marks[key] = ManualMark(points, comment)
                if place.grade in grades and grades[place.grade].needs_manual_grade:
                    flagged.add(key)
    return FoundMarks(ManualMarks(course, marks), frozenset(flagged), warnings)


def _places(assignment: Assignment) -> Iterator[_Place]:
    for exercise in assignment.exercises:
        for part in exercise.parts:
            id = f"{exercise.id}.{part.id}"
            name = nbgrader_cells.written(id)
            yield _Place(id, part.points, name, (name,))
        if exercise.kind == "model":
            name = nbgrader_cells.model(exercise.id)
            yield _Place(exercise.id, exercise.points, name, (name,))
        elif exercise.kind == "code":
            cells = tuple(nbgrader_cells.component(assignment.id, name) for name in exercise.names)
            yield _Place(exercise.id, exercise.points, nbgrader_cells.check(exercise.id), cells)


def _points(grade: Any) -> float | None:
    """The points that nbgrader gives a cell that a person touched; None for any other."""
    if grade.manual_score is None and grade.extra_credit is None:
        return None
    given = grade.auto_score if grade.manual_score is None else grade.manual_score
    return round((given or 0.0) + (grade.extra_credit or 0.0), 2)

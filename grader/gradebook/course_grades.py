"""The course grade of everybody in a class, and the CSV that holds it."""

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.course.course import Course

from ..classroom.component_marks import Marks
from ..classroom.csv_file import safe
from ..classroom.roster import Roster, Student
from .course_total import CourseTotal, course_total, exact, rounded
from .result import Result
from .totals import WITHOUT_POINTS


@dataclass(frozen=True)
class Mark:
    """One assignment or component of a student, in percent of its maximum; None: left out."""

    percent: Fraction | None
    said: str  # where the number comes from
    pending: int = 0  # written parts that are not marked, and exercises that are not graded yet
    known: bool = True  # False: the grader failed, so there is no number


@dataclass(frozen=True)
class CourseGrade:
    """One student's grade and what it is made of."""

    student: Student
    marks: Mapping[str, Mark]
    sum: CourseTotal

    @property
    def total(self) -> float | None:
        """Percent, two decimals; None if the grader failed on an assignment."""
        known = all(mark.known for mark in self.marks.values())
        return rounded(self.sum.percent) if known and self.sum.percent is not None else None

    @property
    def pending(self) -> int:
        return sum(mark.pending for mark in self.marks.values())

    @property
    def remarks(self) -> list[str]:
        """Remarks for somebody who only sees the number."""
        return [f"{id}: {mark.said}" for id, mark in self.marks.items() if _unusual(mark)]


def course_grades(
    results: Sequence[Result], course: Course, roster: Roster, components: Marks, so_far: bool
) -> list[CourseGrade]:
    """Everybody's grade, sorted. `so_far` leaves out what nobody has a grade for yet."""
    by_student: dict[str, dict[str, Result]] = {id: {} for id in roster.students}
    for student, _ in components:
        by_student.setdefault(student, {})
    for result in results:
        by_student.setdefault(result.student, {})[result.assignment] = result
    left_out = without_grades(results, course, components) if so_far else []
    return [
        _grade(roster.student(id), by_student[id], course, components, left_out)
        for id in sorted(by_student)
    ]


def without_grades(results: Sequence[Result], course: Course, components: Marks) -> list[str]:
    """The assignments and components that nobody has a grade for."""
    there = {result.assignment for result in results} | {id for _, id in components}
    return [id for id in _items(course) if id not in there]


def to_csv(grades: Sequence[CourseGrade], course: Course) -> str:
    """One row per student; numbers are percent. A blank total: see the remarks."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    items = _items(course)
    writer.writerow(["student", "name", "section", *items, "total", "pending_parts", "remarks"])
    for grade in grades:
        texts = (grade.student.id, grade.student.name, grade.student.section)
        remarks = safe("; ".join(grade.remarks))
        shown = [shown_percent(grade.marks[id]) for id in items]
        named = [safe(text) for text in texts]
        writer.writerow([*named, *shown, grade.total, grade.pending, remarks])
    return out.getvalue()


def shown_percent(mark: Mark) -> str:
    """93.5; "excused"; "–" for what nobody has a grade for yet; nothing while it is unknown."""
    if not mark.known:
        return ""
    if mark.percent is None:
        return "excused" if mark == EXCUSED else "–"
    return f"{rounded(mark.percent):g}"


def _items(course: Course) -> list[str]:
    return [*course.weights, *(component.id for component in course.grading.components)]


def _unusual(mark: Mark) -> bool:
    return not mark.known or mark.percent is None or bool(mark.pending) or mark.said == MISSING


MISSING = "missing, so 0"
EXCUSED = Mark(None, "excused, so its weight is shared among the rest")


def _grade(
    student: Student,
    results: Mapping[str, Result],
    course: Course,
    components: Marks,
    left_out: Collection[str],
) -> CourseGrade:
    marks = {}
    excused = {id for id, terms in student.terms.items() if terms.excused}
    for id in course.weights:
        if id in excused:
            marks[id] = EXCUSED
        elif id in left_out:
            marks[id] = Mark(None, "left out: no grades yet")
        else:
            marks[id] = _of_result(results.get(id))
    for component in course.grading.components:
        id = component.id
        if id in left_out:
            marks[id] = Mark(None, "left out: no marks yet")
        elif (student.id, id) in components:
            marks[id] = _of_component(components[student.id, id])
        elif id in excused:
            marks[id] = EXCUSED
        else:  # the coding exam is graded here
            marks[id] = _of_result(results.get(id))
    percents = {id: mark.percent for id, mark in marks.items()}
    return CourseGrade(student, marks, course_total(course.grading, course.weights, percents))


def _of_result(result: Result | None) -> Mark:
    if result is None:
        return Mark(Fraction(0), MISSING)
    totals = result.totals
    if totals.excused:  # and perhaps no longer in the class, whose roster would say so
        return EXCUSED
    if totals.total is None:
        return Mark(Fraction(0), "not graded yet, as the grader failed", known=False)
    said = f"{totals.total:g} of {totals.max:g} points"
    if totals.late_penalty:
        said += f", {totals.late_penalty:g} deducted for lateness"
    others = [e.id for e in result.exercises if e.kind != "written" and e.points is None]
    waiting = [part.id for part in result.parts if part.points is None] + others
    if waiting and result.outcome not in WITHOUT_POINTS:
        said += f", {', '.join(waiting)} not marked yet"
    share = 100 * exact(totals.total) / exact(totals.max) if totals.max else Fraction(0)
    return Mark(share, said, len(waiting))


def _of_component(points: tuple[float, float] | None) -> Mark:
    if points is None:
        return EXCUSED
    earned, available = points
    return Mark(100 * exact(earned) / exact(available), f"{earned:g} of {available:g} points")

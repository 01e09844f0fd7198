"""`course grades`: the course total of everybody."""

from grader.course.course import Course

from ...classroom import component_marks
from ...exchange.results_files import replace_file
from ...gradebook import course_grades
from ...gradebook.course_grades import CourseGrade
from ...gradebook.rules import policy
from .. import EXIT_OK
from ..output import UsageProblem, say, say_json, warn
from . import results
from .gradebook_options import Grades


def run(options: Grades) -> int:
    """Write course_grades.csv and print a table, or how one student's grade came to be."""
    now = Course.here()
    roster, found, course = results.stored(options.roster, now, options.out, options.store)
    for change in policy.changes(policy.of(course), policy.of(now), now.facts.zone):
        warn(
            f"course.toml has changed; `course report {options.out}` applies it (--preview shows "
            f"whose grade changes): {change.sentence}"
        )
    everybody = {*roster.students, *roster.left, *(r.student for r in found)}
    known = everybody if roster.students else None
    ids = [component.id for component in course.grading.components]
    marks = component_marks.read(options.components or [], ids, known)
    marks = {key: points for key, points in marks.items() if key[0] not in roster.left}
    grades = course_grades.course_grades(found, course, roster, marks, options.so_far)
    missing = course_grades.without_grades(found, course, marks)
    if missing and not options.so_far:
        warn(
            f"no grades yet for {', '.join(missing)}: 0 points for everyone; --so-far leaves it out"
        )
    if roster.students:
        for id in sorted({grade.student.id for grade in grades} - {*roster.students}):
            warn(f"{id} has results but is not in the roster")
    if options.explain is not None:
        return _explain(grades, options.explain, course, options.json)
    results.prepare(options.out)  # there need be none beside a database
    path = options.out / "course_grades.csv"
    replace_file(path, course_grades.to_csv(grades, course))
    if options.json:
        say_json([_as_json(grade) for grade in grades])
        return EXIT_OK
    _print(grades)
    say(f"\nCourse grades  {path}")
    return EXIT_OK


def _print(grades: list[CourseGrade]) -> None:
    from rich.console import Console

    from ...report.course_grade import grades_table

    console = Console()
    console.print(grades_table(grades, console.width))


def _explain(grades: list[CourseGrade], student: str, course: Course, as_json: bool) -> int:
    from ...report.course_grade import explained

    found = next((grade for grade in grades if grade.student.id == student), None)
    if found is None:
        names = ", ".join(grade.student.id for grade in grades[:12])
        raise UsageProblem(f"--explain {student}: there is no such student; there are {names}")
    if as_json:
        say_json(_as_json(found))
    else:
        say(explained(found, course.grading))
    return EXIT_OK


def _as_json(grade: CourseGrade) -> dict[str, object]:
    percents = {
        id: None if mark.percent is None or not mark.known else float(mark.percent)
        for id, mark in grade.marks.items()
    }
    facts = {"pending_parts": grade.pending, "remarks": grade.remarks}
    return {"student": grade.student.id, "total": grade.total, "percent": percents, **facts}

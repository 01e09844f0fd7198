"""The files of a release: what is out by a week, which answers may be out, and from when on."""

import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.lab import Lab
from grader.course.tree import requirements

from ...course.course_file import shown
from ...library import student_tree
from ...library.components import BuildError
from .. import consistency
from ..views import notebooks, texts
from . import dependencies, handbook

Files = dict[str, bytes]  # by path in the release
SOLUTIONS, AFTER, LECTURES = "solutions", "after_an_attempt", "lectures"


def in_week(course: Course, week: int, answers: Collection[str]) -> list[Assignment]:
    """The assignments that are out by this week, and the labs that are with these answers.

    Raises BuildError if there is no such week.
    """
    numbers = [w.number for w in course.weeks]
    if week not in numbers:
        raise BuildError(
            f"there is no week {week}: course.toml has weeks {min(numbers)} to {max(numbers)}"
        )
    begun = [a for a in course.assignments if a.week <= week]
    return [*begun, *(lab for lab in course.labs if lab.is_out(week, answers))]


def of_week(course: Course, week: int, answers: Collection[str], lectures: bool = False) -> Files:
    """The tree of a week; `answers` are the assignments whose answers are out.

    A lab comes with its answers; `lectures` with the pages that the course makes of them.
    """
    out = in_week(course, week, answers)
    consistency.check_components(course)
    answers = [a.id for a in out if a.id in answers]
    labs = [one for one in out if isinstance(one, Lab)]
    files = of_library(course, out, answers) | _assignments(course, out)
    for id in [*answers, *(lab.id for lab in labs)]:
        files |= solution(course.assignment(id), SOLUTIONS)
    pages = _lectures(course, week, answers) if lectures else {}
    weeks = [one for one in course.weeks if one.number <= week]
    begun = course.model_copy(update={"weeks": weeks, "labs": labs})
    plan = _plan(begun) if pages else ""
    files = dependencies.without_unused(course, files | pages, [one.id for one in out])
    return files | _around(course, files, out, answers, False, plan)


def opened(course: Course, lectures: bool = False) -> Files:
    """The tree for self-study: everything, with hidden tests and model answers in a folder apart.

    `course_lib` is whole, as hidden tests of later exercises build on earlier answers.
    """
    ids = [a.id for a in course.assignments]
    every = [*course.assignments, *course.labs]
    files = _library(course, "", ids, reserved=False) | _assignments(course, every)
    files[f"{AFTER}/README.md"] = (handbook.TEXTS / "after_an_attempt.md").read_bytes()
    files |= hidden_tests(course)
    for assignment in every:
        files |= solution(assignment, f"{AFTER}/{SOLUTIONS}")
    pages = _lectures(course, None, ids) if lectures else {}
    plan = _plan(course) if pages else ""
    files |= pages
    return files | _around(course, files, every, ids, True, plan)


def _lectures(course: Course, week: int | None, answers: Collection[str]) -> Files:
    """The lectures as pages, if the course has any: its plugin `lectures` makes them.

    They show no answers but these; without a week, all that self-study needs.
    """
    make = course.plugin("lectures")
    pages = make(course, week, answers) if make else {}
    return {f"{LECTURES}/{name}": data for name, data in pages.items()}


def for_lectures(course: Course, files: Files, ids: Sequence[str]) -> set[str]:
    """The paths of code that only the lectures' notebooks use."""
    return files.keys() - dependencies.of_work(course, files, ids, f"{LECTURES}/")


def _plan(course: Course) -> str:
    """The plan for each week: the course's plugin `study_plan` says it of the weeks it is given."""
    make = course.plugin("study_plan")
    return make(course) if make else ""


def hidden_tests(course: Course) -> Files:
    """The hidden tests, importable from a folder apart; nothing of the mistakes."""
    files = {f"{AFTER}/{course.facts.hidden}/__init__.py": b'"""Holds the hidden tests."""\n'}
    for assignment in course.assignments:
        for path in assignment.hidden_code:
            files[f"{AFTER}/{shown(path)}"] = path.read_bytes()
    return files


def solution(assignment: Assignment, folder: str) -> Files:
    """The executed model answers of an assignment. Raises BuildError if they were not built."""
    path = assignment.solution
    if not path.is_file():
        raise BuildError(f"{shown(path)} is missing: run `course build {assignment.id}`")
    return {f"{folder}/{path.name}": path.read_bytes()}


def of_library(course: Course, out: Sequence[Assignment], answers: Sequence[str]) -> Files:
    """All that students may have of the library while these are out, whether they need it or not.

    With it `course.toml`, the grader's part for students, and the data's registry.
    """
    newest = next((one.id for one in reversed(out) if not isinstance(one, Lab)), "")
    return _library(course, newest, answers)


def _library(course: Course, newest: str, answers: Sequence[str], reserved: bool = True) -> Files:
    """`course_lib` stubbed to this point, `course.toml` and the data's registry."""
    if not reserved:
        facts = course.facts.model_copy(update={"reserved": []})
        course = course.model_copy(update={"facts": facts})
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        student_tree.write(course, root, newest, answers)
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not path.relative_to(root).as_posix().startswith("assignments/")
        }


def _assignments(course: Course, out: Sequence[Assignment]) -> Files:
    """Starters, each also as a copy to compare with, their READMEs, drawings and visible tests."""
    files: Files = {}
    for assignment in out:
        folder = shown(assignment.folder)
        starter = notebooks.build(course, assignment, "starter")
        text = notebooks.dump(starter).encode()
        files[f"{folder}/{assignment.id}.ipynb"] = text
        files[f"{folder}/{handbook.CLEAN}/{assignment.id}.ipynb"] = text
        for path in sorted((assignment.folder / "drawings").glob("*.svg")):
            files[shown(path)] = path.read_bytes()
        files[f"{folder}/README.md"] = texts.readme(course, assignment).encode()
        for path in assignment.public_tests:
            for one in (path, path.with_suffix(".json")):
                files[shown(one)] = one.read_bytes()
    return files


def _around(
    course: Course,
    files: Files,
    out: Sequence[Assignment],
    answers: Collection[str],
    opened: bool,
    plan: str,
) -> Files:
    """The files around them: the README, with a plan for each week, and the project's files."""
    python = handbook.python_versions(course.root).replace(">=", "").replace(",<", " to below ")
    ids, listed = [one.id for one in out], requirements(course.root)
    work = dependencies.packages(course, files, ids, listed, f"{LECTURES}/")
    every = dependencies.packages(course, files, ids, listed)
    more = [line for line in every if line not in work]
    text = handbook.readme(course, out, answers, python, opened, plan, work, more)
    return {**handbook.project_files(course, work, more), "README.md": text.encode()}

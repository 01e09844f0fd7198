"""How large the report of a generated class is, and how long a browser takes to open its pages.

Every student hands in every assignment and the exam, a third of them late; of the exercises that
are checked by tests, two fifths have one of the named mistakes. The pages are those of `course
report`, opened from the disk until the load event, each time in a window of its own.
"""

import datetime
import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.record import Log, Measures, of_values
from book.decks import browser
from grader import report
from grader.authoring import results_file
from grader.checking.messages import Message
from grader.classroom.roster import Roster, Student
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import Exercise
from grader.course.mistakes import Bug
from grader.gradebook.exercise_result import ExerciseResult, GradedTest, ModelResult
from grader.gradebook.result import Result

from .marking import class_of

NAME = "bench_report"
WRONG = 0.4  # of the exercises
TIMES = 5  # each page is opened
LOADED = "() => performance.getEntriesByType('navigation')[0].loadEventEnd"  # 0 before


def run(course: Course, students: int, log: Log) -> Measures:
    """Measures of one class; writes `results/bench_report.json`. Raises NoBrowserError."""
    binary = browser.path()
    log(f"{students} students, {len(course.graded)} assignments")
    names = [f"s{number:03}" for number in range(students)]
    roster = Roster({name: Student(name, f"Student {name}") for name in names})
    found = report.shown([r for one in course.graded for r in graded(course, one, students)])
    pages = {"report": report.render(found, course, roster)}
    classes = report.render_classes(found, course, roster)
    pages |= {Path(page).stem.removeprefix("class-"): text for page, text in classes}
    pages["student"] = next(report.render_pages(found, course, roster))[1]
    pages["dashboard"] = report.render_dashboard(found, course, roster)
    with tempfile.TemporaryDirectory() as folder:
        files = {page: Path(folder) / f"{page}.html" for page in pages}
        for page, file in files.items():
            file.write_text(pages[page], encoding="utf-8")
        sizes = {page: file.stat().st_size for page, file in files.items()}
        times = _opened(binary, files)
    return _measures(students, sizes, times)


def graded(course: Course, assignment: Assignment, students: int) -> list[Result]:
    """Results of a class, of the size that grading gives them."""
    draw, known = random.Random(0), mistakes.load(assignment)
    due = assignment.due.isoformat()
    late = (assignment.due + datetime.timedelta(hours=30)).isoformat()
    found = []
    for written in class_of(course, assignment, students):
        entries = {entry.id: entry for entry in written.exercises}
        for exercise in assignment.exercises:
            if exercise.kind != "written":
                bugs = [bug for bug in known if bug.exercise == exercise.id]
                entries[exercise.id] = _entry(draw, exercise, bugs)
        facts = written.submission.model_copy(
            update={"received": late if draw.random() < 1 / 3 else due}
        )
        exercises = [entries[exercise.id] for exercise in assignment.exercises]
        told = {"submission": facts, "exercises": exercises, "graded_at": late}
        found.append(written.changed(assignment, **told))
    return found


def _entry(draw: random.Random, exercise: Exercise, bugs: Sequence[Bug]) -> ExerciseResult:
    facts: dict[str, Any] = exercise.model_dump(include={"id", "title", "kind", "bonus", "section"})
    facts |= {"max_points": exercise.points, "points": exercise.points, "status": "full"}
    if exercise.kind == "model":
        return ExerciseResult(**facts, model=_model(exercise))
    made = draw.choice(bugs) if bugs and draw.random() < WRONG else None
    caught = {bug.name: f"test_{exercise.id}.py::test_{bug.name}" for bug in bugs}
    names = sorted(caught.values()) or [f"test_{exercise.id}"]
    share = exercise.points / len(names)
    tests = [
        _test(name, share, made if made and caught[made.name] == name else None) for name in names
    ]
    if made:
        facts |= {"points": exercise.points - share, "status": "partial"}
    return ExerciseResult(**facts, tests=tests)


def _test(name: str, share: float, made: Bug | None) -> GradedTest:
    message, sentence = None, made.sentence if made else ""
    if made:
        message = Message("[0.5 0.5]", "[4. 0.]", sentence, "section 3.2.1", seen=True)
    return GradedTest(
        id=name,
        title=name.partition("::")[2].replace("_", " "),
        public=False,
        max_points=share,
        points=0.0 if made else share,
        outcome="FAILED" if made else "PASSED",
        message=message,
        bug=made.name if made else None,
        bug_title=sentence,
    )


def _model(exercise: Exercise) -> ModelResult:
    facts: dict[str, Any] = {"problem": "", "notes": [], "source": "generated", "seconds": 1}
    facts |= {"examples": 1, "recomputed": 1, "sentences_per_second": 1, "handed_in": True}
    return ModelResult(score=exercise.zero_at, zero_at=exercise.zero_at, full_at=1, **facts)


def _opened(binary: str, pages: Mapping[str, Path]) -> dict[str, list[float]]:
    """Milliseconds from the start of each page to the end of its load event."""
    found: dict[str, list[float]] = {page: [] for page in pages}
    with browser.running(binary) as window:
        for _ in range(TIMES):
            for name, path in pages.items():
                context = window.new_context()
                page = context.new_page()
                page.goto(path.as_uri(), wait_until="load")
                page.wait_for_function(LOADED)
                found[name].append(page.evaluate(LOADED))
                context.close()
    return found


def _measures(
    students: int, sizes: Mapping[str, int], times: Mapping[str, list[float]]
) -> Measures:
    values: dict[str, list[float]] = {"students": [students]}
    values |= {f"{page}_kilobytes": [size / 1000] for page, size in sizes.items()}
    found = of_values(values | {f"{page}_load_ms": own for page, own in times.items()})
    data = {"class": "generated (bench/grader/report.py), seed 0"}
    results_file.write(NAME, f"course bench report --students {students}", found, data)
    return found

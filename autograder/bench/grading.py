"""Our grading against `nbgrader autograde`: the same notebooks, the same machine, one run.

One submission is compared with one, and a class with the same class in one nbgrader command.
"""

from __future__ import annotations

import hashlib
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from course_lib.course.syllabus import ROOT, Assignment, Syllabus

from ..gradebook.result import Result
from ..grading import class_run, judge_process
from ..intake.submissions import Submission
from . import nbgrader_course, results_file

JOBS = 2  # `course grade`'s default
A_SUBMISSION = "s a submission"
UNITS = {
    "seconds": A_SUBMISSION,
    "nbgrader_seconds": A_SUBMISSION,
    "class_seconds": A_SUBMISSION,
    "nbgrader_class_seconds": A_SUBMISSION,
    "start_seconds": "s",
}


def run(
    syllabus: Syllabus, submissions: int, assignments: list[str], tell: Callable[[str], None]
) -> dict[str, Any]:
    """Measure both and write `results/bench_grading.json`; returns the measures.

    A class is `submissions` times the built solution of an assignment. `aN_seconds` is one of them
    after another; `aN_class_seconds` is the wall time a submission with `course grade`'s two jobs.
    Both are those of a grader that has started, which takes `aN_start_seconds` a run; nbgrader's
    are whole commands. What trains in a notebook does so in the profile "tiny", and no trained
    model is handed in: nbgrader has nothing to score one with.

    Raises RuntimeError when a solution does not get all points of its code.
    """
    seconds: dict[str, dict[str, list[float]]] = {}
    digest = hashlib.sha256()
    for assignment in (syllabus.assignment(id) for id in assignments):
        notebook = ROOT / "solutions" / f"{assignment.id}.ipynb"
        digest.update(notebook.read_bytes())
        seconds[assignment.id] = _measured(syllabus, assignment, notebook, submissions, tell)
    measures = {
        f"{id}_{kind}": results_file.measure(unit, found[kind])
        for id, found in seconds.items()
        for kind, unit in UNITS.items()
    }
    for name, ours, theirs in (
        ("speedup_one_at_a_time", "seconds", "nbgrader_seconds"),
        ("speedup_over_nbgrader", "class_seconds", "nbgrader_class_seconds"),
    ):
        sums = [
            sum(statistics.median(found[kind]) for found in seconds.values())
            for kind in (theirs, ours)
        ]
        measures[name] = results_file.measure("ratio", [sums[0] / sums[1]])
    data = {
        "name": f"the built solution notebooks of {' and '.join(assignments)}, "
        f"{submissions} of each in a class",
        "source": "solutions/",
        "sha256": digest.hexdigest(),
    }
    command = f"course bench grading --submissions {submissions}"
    if assignments != [a.id for a in syllabus.assignments]:
        command += f" --assignments {','.join(assignments)}"
    results_file.write("bench_grading", command, measures, data)
    return measures


def _measured(
    syllabus: Syllabus,
    assignment: Assignment,
    notebook: Path,
    submissions: int,
    tell: Callable[[str], None],
) -> dict[str, list[float]]:
    """Seconds by kind: ours and nbgrader's alternate, so that both see the same machine."""
    data = notebook.read_bytes()
    made = [Submission(f"s{n:02}", assignment.id, str(notebook), data) for n in range(submissions)]
    with (
        nbgrader_course.made(assignment) as course,
        _warm_judges(syllabus, assignment, made[0]) as (pool, start_seconds),
    ):
        found = {"start_seconds": [start_seconds]}
        for submission in made:
            place = course / "submitted" / submission.student / assignment.id
            place.mkdir(parents=True)
            shutil.copy(notebook, place / notebook.name)
        tell(f"{assignment.id}: one submission, ours and nbgrader's")
        found["seconds"] = [_ours(assignment, pool, [submission]) for submission in made]
        found["nbgrader_seconds"] = [_nbgrader(course, assignment, f"--student={made[0].student}")]
        tell(f"{assignment.id}: a class of {submissions}, ours and nbgrader's")
        found["class_seconds"] = [_ours(assignment, pool, made)]
        found["nbgrader_class_seconds"] = [_nbgrader(course, assignment, "--force") / submissions]
    return found


@contextmanager
def _warm_judges(
    syllabus: Syllabus, assignment: Assignment, submission: Submission
) -> Iterator[tuple[ProcessPoolExecutor, float]]:
    """Judges that have graded already, so each has read the suite; the seconds until then."""
    started = time.perf_counter()
    with class_run.judges(syllabus, {assignment.id}, class_run.Settings(jobs=JOBS)) as pool:
        _graded(pool, [submission] * (2 * JOBS))
        yield pool, time.perf_counter() - started


def _graded(pool: ProcessPoolExecutor, made: list[Submission]) -> list[Result]:
    waiting = [pool.submit(judge_process.grade_one, submission, None) for submission in made]
    return [future.result() for future in waiting]


def _ours(assignment: Assignment, pool: ProcessPoolExecutor, made: list[Submission]) -> float:
    """Seconds a submission of a whole grading, each in a fresh sandboxed worker."""
    started = time.perf_counter()
    results = _graded(pool, made)
    seconds = (time.perf_counter() - started) / len(made)
    for entry in (entry for result in results for entry in result.exercises):
        if entry.kind == "code" and entry.points != entry.max_points:
            raise RuntimeError(
                f"the solution of {assignment.id} got {entry.points} of {entry.max_points} "
                f"points in exercise {entry.id}"
            )
    return seconds


def _nbgrader(course: Path, assignment: Assignment, option: str) -> float:
    """Seconds of one `nbgrader autograde` command."""
    started = time.perf_counter()
    nbgrader_course.run(["autograde", assignment.id, option], course)
    return time.perf_counter() - started

"""Our grading against `nbgrader autograde`: the same notebooks, the same machine, one run."""

from __future__ import annotations

import hashlib
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_lib.syllabus import ROOT, Assignment, Syllabus

from .. import class_run, judge_process
from ..submissions import Submission
from . import measurement, nbgrader_course

JOBS = 2  # `course grade`'s default
NBGRADER_SUBMISSIONS = 1  # a command: what a resubmission costs; more in one command cost less each


def run(syllabus: Syllabus, submissions: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure both and write `results/bench_grading.json`; returns the measures.

    `aN_seconds` is one submission after another; `aN_class_seconds` is the wall time a submission
    of a class with `course grade`'s two jobs, which `speedup_over_nbgrader` compares.
    """
    measures: dict[str, Any] = {}
    one: list[float] = []
    class_wide: list[float] = []
    theirs: list[float] = []
    digest = hashlib.sha256()
    for assignment in syllabus.assignments:
        notebook = ROOT / "solutions" / f"{assignment.id}.ipynb"
        digest.update(notebook.read_bytes())
        tell(f"{assignment.id}: {submissions} submissions, ours")
        seconds, together = _ours(syllabus, assignment, notebook, submissions)
        tell(f"{assignment.id}: {NBGRADER_SUBMISSIONS} submission, nbgrader autograde")
        nbgrader = _nbgrader(assignment, notebook)
        one.append(statistics.median(seconds))
        class_wide.append(together)
        theirs.append(nbgrader)
        for name, values in (
            ("seconds", seconds),
            ("class_seconds", [together]),
            ("nbgrader_seconds", [nbgrader]),
        ):
            measures[f"{assignment.id}_{name}"] = measurement.measure("s a submission", values)
    # over one notebook of each assignment
    for name, ours in (("speedup_one_at_a_time", one), ("speedup_over_nbgrader", class_wide)):
        measures[name] = measurement.measure("ratio", [sum(theirs) / sum(ours)])
    data = {
        "name": "the built solution notebooks of "
        + " and ".join(a.id for a in syllabus.assignments),
        "source": "solutions/",
        "sha256": digest.hexdigest(),
    }
    measurement.write("bench_grading", "course bench grading", measures, data)
    return measures


def _ours(
    syllabus: Syllabus, assignment: Assignment, notebook: Path, submissions: int
) -> tuple[list[float], float]:
    """Wall time of each submission alone, and a submission of a class with two jobs, after warm-up.

    Each is a whole grading: a fresh sandboxed worker and a trusted pytest session.
    """
    data = notebook.read_bytes()
    made = [Submission(f"s{n:02}", assignment.id, str(notebook), data) for n in range(submissions)]
    seconds = []
    with class_run.judges(syllabus, {assignment.id}, class_run.Settings(jobs=JOBS)) as pool:
        for warming in [pool.submit(judge_process.grade_one, s, None) for s in made[:JOBS] * 2]:
            warming.result()
        for submission in made:
            started = time.perf_counter()
            result = pool.submit(judge_process.grade_one, submission, None).result()
            seconds.append(time.perf_counter() - started)
            totals = result["totals"]
            if totals["automatic"] != totals["automatic_max"]:
                raise RuntimeError(f"the reference of {assignment.id} got {totals['automatic']}")
        started = time.perf_counter()
        grade_one = judge_process.grade_one
        for future in [pool.submit(grade_one, submission, None) for submission in made]:
            future.result()
        return seconds, (time.perf_counter() - started) / submissions


def _nbgrader(assignment: Assignment, notebook: Path) -> float:
    """Seconds a submission of one `nbgrader autograde` command over a small class."""
    with nbgrader_course.made(assignment) as course:
        for number in range(NBGRADER_SUBMISSIONS):
            place = course / "submitted" / f"s{number:02}" / assignment.id
            place.mkdir(parents=True)
            shutil.copy(notebook, place / f"{assignment.id}.ipynb")
        started = time.perf_counter()
        nbgrader_course.run(["autograde", assignment.id], course)
        return (time.perf_counter() - started) / NBGRADER_SUBMISSIONS

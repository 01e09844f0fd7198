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

from .. import class_run
from ..submissions import Submission
from . import measurement, nbgrader_course

NBGRADER_SUBMISSIONS = 2  # of each assignment, in one command, which favours nbgrader


def run(syllabus: Syllabus, submissions: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure both and write `results/bench_grading.json`; returns the measures."""
    measures: dict[str, Any] = {}
    ours: dict[str, float] = {}
    theirs: dict[str, float] = {}
    digest = hashlib.sha256()
    for assignment in syllabus.assignments:
        notebook = ROOT / "solutions" / f"{assignment.id}.ipynb"
        digest.update(notebook.read_bytes())
        tell(f"{assignment.id}: {submissions} submissions, ours")
        seconds = _ours(syllabus, assignment, notebook, submissions)
        tell(f"{assignment.id}: {NBGRADER_SUBMISSIONS} submissions, nbgrader autograde")
        their_seconds = _nbgrader(assignment, notebook)
        ours[assignment.id], theirs[assignment.id] = statistics.median(seconds), their_seconds
        measures[f"{assignment.id}_seconds"] = measurement.measure("s a submission", seconds)
        measures[f"{assignment.id}_nbgrader_seconds"] = measurement.measure(
            "s a submission", [their_seconds]
        )
    ratios = [theirs[id] / ours[id] for id in ours]
    measures["speedup_over_nbgrader"] = measurement.measure("ratio of medians", ratios)
    data = {
        "name": "the built solution notebooks of " + " and ".join(ours),
        "source": "solutions/",
        "sha256": digest.hexdigest(),
    }
    measurement.write("bench_grading", "course bench grading", measures, data)
    return measures


def _ours(
    syllabus: Syllabus, assignment: Assignment, notebook: Path, submissions: int
) -> list[float]:
    """Wall time of each submission, one after another, after two to warm up.

    Each is a whole grading: a fresh sandboxed worker and a trusted pytest session.
    """
    data = notebook.read_bytes()
    settings = class_run.Settings(jobs=1)
    seconds = []
    with class_run.judges(syllabus, {assignment.id}, settings) as pool:
        for number in range(submissions + 2):
            submission = Submission(f"s{number:02}", assignment.id, str(notebook), data)
            started = time.perf_counter()
            result = pool.submit(class_run.grade_one, submission, None).result()
            seconds.append(time.perf_counter() - started)
            totals = result["totals"]
            if totals["automatic"] != totals["automatic_max"]:
                raise RuntimeError(f"the reference of {assignment.id} got {totals['automatic']}")
    return seconds[2:]


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

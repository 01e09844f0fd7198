"""Recovery of a class's run: one Dask worker is killed in the middle, then the run is repeated."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path

from grader.course.course import Course
from grader.gradebook.store import Store
from grader.grading import class_run, cluster
from grader.grading.settings import Settings
from grader.intake.submissions import Submission
from grader.sandbox import detection


def measured(course: Course, made: list[Submission], workers: int) -> dict[str, float]:
    """What a killed worker costs; for Linux, and at least two workers.

    `lost`: submissions without a grade. `graded_twice`: those with more than one stored result.
    `graded_again`: those that a second run of the same class grades. `seconds`: of the first run,
    from its first result to the last.
    """
    settings = Settings(jobs=workers, tier=detection.detect().name, executor=cluster.LOCAL)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.db") as store:
        times: list[float] = []
        for _ in class_run.grade_class(made, course, store, settings):
            times.append(time.perf_counter())
            if len(times) == len(made) // 3:
                os.kill(dask_workers()[0], signal.SIGKILL)
        first = store.latest()
        stored = [len(store.history(s.student, s.assignment)) for s in made]
        list(class_run.grade_class(made, course, store, settings))
        before = {result.student: result.graded_at for result in first}
        again = sum(before.get(r.student) != r.graded_at for r in store.latest())
    return {
        "lost": len(made) - len(first),
        "graded_twice": sum(number > 1 for number in stored),
        "graded_again": again,
        "seconds": times[-1] - times[0],
    }


def dask_workers() -> list[int]:
    """This process's Dask workers, by process id: its children that have a warm process."""
    lists = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    own = [int(pid) for text in lists for pid in text.split()]
    return [pid for pid in own if Path(f"/proc/{pid}/task/{pid}/children").read_text()]

"""A large class on Dask workers: how throughput grows with them, and what the client needs."""

from __future__ import annotations

import hashlib
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from course_lib.course.syllabus import ROOT, Assignment, Syllabus

from ..gradebook.store import Store
from ..grading import class_run, cluster
from ..intake.submissions import Submission
from ..sandbox import detection
from . import results_file


def run(
    syllabus: Syllabus,
    assignment: Assignment,
    submissions: int,
    workers: Sequence[int],
    log: Callable[[str], None],
) -> dict[str, Any]:
    """Measure and write `results/bench_class.json`; returns the measures.

    A class is `submissions` copies of the built solution, each with a hash of its own. It is graded
    once with each number of workers, into a new store. `workers_N_per_second` counts submissions
    from the first stored result to the last, without the start of the workers, which takes
    `workers_N_start_seconds`. `client_peak_mib` is the largest resident memory of this process,
    which holds the notebooks and writes to the store.

    Raises RuntimeError if a submission is not graded or the grades differ.
    """
    notebook = (ROOT / "solutions" / f"{assignment.id}.ipynb").read_bytes()
    made = [
        Submission(f"s{n:05}", assignment.id, f"s{n:05}.ipynb", notebook + b"\n" * n)
        for n in range(submissions)
    ]
    measures = {}
    for count in workers:
        log(f"{submissions} submissions of {assignment.id} with {count} workers")
        per_second, start_seconds = _measured(syllabus, made, count)
        name = f"workers_{count}"
        measures[f"{name}_per_second"] = results_file.measure("1/s", [per_second])
        measures[f"{name}_start_seconds"] = results_file.measure("s", [start_seconds])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB on Linux
    measures["client_peak_mib"] = results_file.measure("MiB", [peak])
    numbers = ",".join(map(str, workers))
    results_file.write(
        "bench_class",
        f"course bench class --submissions {submissions} --assignment {assignment.id} "
        f"--workers {numbers}",
        measures,
        {
            "name": f"{submissions} copies of the built solution of {assignment.id}",
            "source": "solutions/",
            "sha256": hashlib.sha256(notebook).hexdigest(),
        },
    )
    return measures


def _measured(syllabus: Syllabus, made: list[Submission], workers: int) -> tuple[float, float]:
    """Submissions per second after the first result, and the seconds until that."""
    settings = class_run.Settings(
        jobs=workers, tier=detection.detect().name, executor=cluster.LOCAL
    )
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.db") as store:
        started, times, points = time.perf_counter(), [], set()
        for result in class_run.grade_class(made, syllabus, store, settings):
            times.append(time.perf_counter())
            points.add(result.totals.automatic)
        kept = len(store.latest())
    if kept != len(made) or len(points) != 1:
        raise RuntimeError(f"{kept} of {len(made)} were graded, with {len(points)} grades")
    return (len(times) - 1) / (times[-1] - times[0]), times[0] - started

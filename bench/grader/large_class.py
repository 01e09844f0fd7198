"""A large class on Dask workers: how throughput grows with them, and what the client needs."""

import hashlib
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.record import Log, Measures, of_values
from grader.authoring import results_file
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.gradebook.store import Store
from grader.grading import class_run, cluster
from grader.grading.judge_pool import Settings
from grader.intake.plain_files import Spool
from grader.intake.submissions import Submission
from grader.sandbox import detection

NAME = "bench_class"


def run(
    course: Course,
    assignment: Assignment,
    submissions: int,
    sample: int,
    workers: Sequence[int],
    log: Log,
) -> Measures:
    """Measure and write `results/bench_class.json`; returns the measures.

    A class is `submissions` copies of the built solution, each with a hash of its own. Its first
    `sample` are graded with each number of workers, then the whole class with the most, each time
    into a new store. `workers_N_per_second` and `class_per_second` count submissions from the first
    stored result to the last, without the start of the workers, which takes
    `workers_N_start_seconds`. `sample_peak_mib` and `class_peak_mib` are the largest resident
    memory of this process, which finds the submissions and writes to the store, after the samples
    and after the class.

    Raises RuntimeError if a submission is not graded or the grades differ.
    """
    notebook = (assignment.solution).read_bytes()
    spool = Spool()
    made = [
        Submission(f"s{n:05}", assignment.id, f"s{n:05}.ipynb", spool.keep(notebook + b"\n" * n))
        for n in range(submissions)
    ]
    found: dict[str, list[float]] = {}
    for count in workers:
        log(f"{sample} submissions of {assignment.id} with {count} workers")
        per_second, start_seconds = _measured(course, made[:sample], count)
        found[f"workers_{count}_per_second"] = [per_second]
        found[f"workers_{count}_start_seconds"] = [start_seconds]
    found["sample_peak_mib"] = [_peak_mib()]
    log(f"{submissions} submissions of {assignment.id} with {max(workers)} workers")
    found["class_per_second"] = [_measured(course, made, max(workers))[0]]
    found["class_peak_mib"] = [_peak_mib()]
    measures = of_values(found)
    numbers = ",".join(map(str, workers))
    results_file.write(
        NAME,
        f"course bench class --submissions {submissions} --sample {sample} "
        f"--assignment {assignment.id} --workers {numbers}",
        measures,
        {
            "name": f"{submissions} copies of the built solution of {assignment.id}",
            "source": "solutions/",
            "sha256": hashlib.sha256(notebook).hexdigest(),
        },
    )
    return measures


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB on Linux


def _measured(course: Course, made: list[Submission], workers: int) -> tuple[float, float]:
    """Submissions per second after the first result, and the seconds until that."""
    settings = Settings(jobs=workers, tier=detection.detect().name, executor=cluster.LOCAL)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.db") as store:
        started, times, points = time.perf_counter(), [], set()
        for result in class_run.grade_class(made, course, store, settings):
            times.append(time.perf_counter())
            points.add(result.totals.automatic)
        stored = (store.newest(one.student, one.assignment) for one in made)  # one at a time
        kept = sum(result is not None for result in stored)
    if kept != len(made) or len(points) != 1:
        raise RuntimeError(f"{kept} of {len(made)} were graded, with {len(points)} grades")
    return (len(times) - 1) / (times[-1] - times[0]), times[0] - started

"""A class that hands in trained translators: CPU and wall-clock seconds a submission."""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from autograder.demo.models import TRAINED, train_translators
from course_lib.data.registry import Source
from grader.authoring import results_file
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.gradebook.result import Result
from grader.gradebook.store import Store
from grader.grading import class_run
from grader.grading.judge_pool import Settings
from grader.intake import handed_in
from grader.intake.submissions import Submission
from grader.judge.models import scorer
from grader.sandbox import detection, process_tree

NAME = "bench_trained_class"
LABELS: Source = "generated"  # the demonstration's translator learns generated sentences


def run(
    course: Course,
    assignment: Assignment,
    submissions: int,
    jobs: int,
    log: Callable[[str], None],
) -> dict[str, Any]:
    """Measure and write `results/bench_trained_class.json`; returns the measures.

    A class is `submissions` copies of the built solution, each with a hash of its own and with a
    translator beside it, which is trained first. Both `…_per_submission` go from the first stored
    result to the last; CPU time is that of all processes together. `class_minutes` is the time of
    the whole command `course grade`, its start included.

    Raises RuntimeError if a submission is not graded in full.
    """
    notebook = assignment.solution.read_bytes()
    hidden = scorer.hidden_labels(course, assignment, [LABELS])
    settings = Settings(jobs=jobs, tier=detection.detect().name, hidden={assignment.id: hidden})
    with tempfile.TemporaryDirectory() as folder:
        log("training the translator that is handed in")
        train_translators(Path(folder))
        beside = handed_in.find(Path(folder) / TRAINED).only(assignment.files, assignment.most)
        made = [
            Submission(f"s{n:05}", assignment.id, "a.ipynb", notebook + b"\n" * n, beside=beside)
            for n in range(submissions)  # the same code, each with a hash of its own
        ]
        log(f"{submissions} submissions of {assignment.id} with {jobs} jobs")
        with Store(Path(folder) / "results.db") as store:
            found = _measured(class_run.grade_class(made, course, store, settings), submissions)
    measures = {name: results_file.measure(unit, [one]) for name, (unit, one) in found.items()}
    results_file.write(
        NAME,
        f"course bench trained-class --submissions {submissions} --jobs {jobs} "
        f"--assignment {assignment.id}",
        measures,
        {
            "name": f"{submissions} copies of the built solution of {assignment.id}, each with a "
            f"translator, scored on {len(hidden.labels)} generated sentences",
            "source": "solutions/",
            "sha256": hashlib.sha256(notebook).hexdigest(),
        },
    )
    return measures


def _measured(results: Iterator[Result], submissions: int) -> dict[str, tuple[str, float]]:
    """The measures, taken while `results` come."""
    started = time.perf_counter()
    looks = list[tuple[float, float]]()
    for result in results:
        _check(result)
        cpu = time.process_time() + process_tree.activity(os.getpid()).cpu_seconds
        looks.append((time.perf_counter(), cpu))
    if len(looks) != submissions:
        raise RuntimeError(f"{len(looks)} of {submissions} submissions were graded")
    wall, cpu = (last - first for first, last in zip(looks[0], looks[-1], strict=True))
    return {
        "cpu_seconds_per_submission": ("s", cpu / (submissions - 1)),
        "seconds_per_submission": ("s", wall / (submissions - 1)),
        "class_minutes": ("min", (time.perf_counter() - started) / 60),
    }


def _check(result: Result) -> None:
    code = [entry for entry in result.exercises if entry.kind == "code" and not entry.bonus]
    if wrong := [entry.id for entry in code if entry.points != entry.max_points]:
        raise RuntimeError(f"{result.student} lost points in {', '.join(wrong)}")
    if result.model is None or result.model.problem:
        problem = result.model.problem if result.model else "it was not run"
        raise RuntimeError(f"the model of {result.student} got no score: {problem}")

"""Our grading against `nbgrader autograde`, on the same notebooks and machine, in one run.

Both grade a single submission, and a class (with one command for nbgrader). A bound for the grader
is the time of the notebook's own code in one process: the suite's requests are answered there, by
the code that a worker runs. Loading the notebook and answering is counted, with reading each
request and writing its answer; the tests, the judge's side and the sandbox are not. A request that
several tests make counts each time.
"""

import contextlib
import hashlib
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import torch

from bench.record import Log, Measures, of_values
from grader.authoring import results_file
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.exchange.for_nbgrader import gradebook
from grader.gradebook.result import Result
from grader.grading import judge_pool, judge_process
from grader.grading.judge_pool import Settings
from grader.intake.submissions import Submission
from grader.judge.grade import once
from grader.judge.suite_run import Submitted
from grader.judge.workers.load import Load
from grader.judge.workers.local import LocalWorker, local_worker
from grader.seam.codec import Tree

NAME = "bench_grading"
JOBS = 2  # `course grade`'s default


def run(course: Course, submissions: int, assignments: list[str], log: Log) -> Measures:
    """Measure both and write `results/bench_grading.json`; returns the measures.

    A class is `submissions` copies of an assignment's built solution. `aN_seconds` are per
    submission, graded one at a time; `aN_class_seconds` is wall time per submission with `course
    grade`'s two jobs. Both exclude the start of the grader, which takes `aN_start_seconds` per run;
    nbgrader's times are of whole commands. `aN_limit_seconds` are those of the notebook's own code.
    Notebooks train with the profile "tiny", and no trained model is handed in, because nbgrader
    cannot score one.

    Raises RuntimeError if a solution does not get all points of its code.
    """
    seconds: dict[str, dict[str, list[float]]] = {}
    digest = hashlib.sha256()
    for assignment in (course.assignment(id) for id in assignments):
        notebook = assignment.solution
        digest.update(notebook.read_bytes())
        asked = (course, assignment, notebook, submissions, log)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as new:  # as a command starts
            seconds[assignment.id] = new.submit(_measured, *asked).result()
    values = {f"{id}_{kind}": own for id, of in seconds.items() for kind, own in of.items()}
    for name, ours, theirs in (
        ("speedup_one_at_a_time", "seconds", "nbgrader_seconds"),
        ("speedup_over_nbgrader", "class_seconds", "nbgrader_class_seconds"),
    ):
        sums = [
            sum(statistics.median(found[kind]) for found in seconds.values())
            for kind in (theirs, ours)
        ]
        values[name] = [sums[0] / sums[1]]
    measures = of_values(values)
    data = {
        "name": f"the built solution notebooks of {' and '.join(assignments)}, "
        f"{submissions} of each in a class",
        "source": "solutions/",
        "sha256": digest.hexdigest(),
    }
    command = f"course bench grading --submissions {submissions}"
    if assignments != [a.id for a in course.assignments]:
        command += f" --assignments {','.join(assignments)}"
    results_file.write(NAME, command, measures, data)
    return measures


def _measured(
    course: Course,
    assignment: Assignment,
    notebook: Path,
    submissions: int,
    log: Log,
) -> dict[str, list[float]]:
    """Seconds by kind; ours and nbgrader's alternate, for equal conditions."""
    data = notebook.read_bytes()
    made = [Submission(f"s{n:02}", assignment.id, str(notebook), data) for n in range(submissions)]
    with (
        nbgrader_course(assignment) as theirs,
        _warm_judges(course, assignment, made[0]) as (pool, start_seconds),
    ):
        found = {"start_seconds": [start_seconds]}
        for submission in made:
            folder = theirs / "submitted" / submission.student / assignment.id
            folder.mkdir(parents=True)
            shutil.copy(notebook, folder / notebook.name)
        log(f"{assignment.id}: one submission, ours and nbgrader's")
        found["seconds"] = [_ours(assignment, pool, [submission]) for submission in made]
        found["limit_seconds"] = own_seconds(course, assignment, data, submissions)
        found["nbgrader_seconds"] = [_nbgrader(theirs, assignment, f"--student={made[0].student}")]
        log(f"{assignment.id}: a class of {submissions}, ours and nbgrader's")
        found["class_seconds"] = [_ours(assignment, pool, made)]
        found["nbgrader_class_seconds"] = [_nbgrader(theirs, assignment, "--force") / submissions]
    return found


@contextmanager
def _warm_judges(
    course: Course, assignment: Assignment, submission: Submission
) -> Iterator[tuple[ProcessPoolExecutor, float]]:
    """Judges that have graded, so that each has read the suite; and the seconds of their start.

    These are what the first few submissions take longer than the same few a second time.
    """
    started = time.perf_counter()
    with judge_pool.started(course, {assignment.id}, Settings(jobs=JOBS)) as pool:
        few = [submission] * (2 * JOBS)
        _grade_all(pool, few)
        first = time.perf_counter()
        _grade_all(pool, few)
        yield pool, (first - started) - (time.perf_counter() - first)


def _grade_all(pool: ProcessPoolExecutor, made: list[Submission]) -> list[Result]:
    waiting = [pool.submit(judge_process.first_try, submission, None) for submission in made]
    return [future.result().result for future in waiting]


def _ours(assignment: Assignment, pool: ProcessPoolExecutor, made: list[Submission]) -> float:
    """Wall seconds per submission, each graded in a fresh sandboxed worker."""
    started = time.perf_counter()
    results = _grade_all(pool, made)
    seconds = (time.perf_counter() - started) / len(made)
    for entry in (entry for result in results for entry in result.exercises):
        if entry.kind == "code" and entry.points != entry.max_points:
            raise RuntimeError(
                f"the solution of {assignment.id} got {entry.points} of {entry.max_points} "
                f"points in exercise {entry.id}"
            )
    return seconds


def _nbgrader(folder: Path, assignment: Assignment, option: str) -> float:
    """Seconds of one `nbgrader autograde` command."""
    started = time.perf_counter()
    nbgrader(["autograde", assignment.id, option], folder)
    return time.perf_counter() - started


@contextlib.contextmanager
def nbgrader_course(assignment: Assignment) -> Iterator[Path]:
    """An nbgrader course folder with the assignment generated from our starter."""
    with tempfile.TemporaryDirectory(prefix="nbgrader-") as name:
        course = Path(name)
        source = course / "source" / assignment.id
        source.mkdir(parents=True)
        starter = assignment.starter
        shutil.copy(starter, source)
        (course / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
        nbgrader(["generate_assignment", assignment.id, "--create"], course)
        yield course


# Starters have stubs already: nbgrader must not replace solution cells with its own.
CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "transformer"
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.ExecutePreprocessor.timeout = 600
"""


def nbgrader(arguments: list[str], course: Path) -> str:
    """Run nbgrader in a course folder. Raises NbgraderError with its last output if it fails."""
    return gradebook.nbgrader(arguments, course, COURSE_PROFILE="tiny")  # training takes seconds


Answer = tuple[Tree, bytes]


def own_seconds(course: Course, assignment: Assignment, notebook: bytes, times: int) -> list[float]:
    """Wall seconds of the notebook's code, each time anew, after one that is not counted.

    As in a worker, it has one thread.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [_own(course, assignment, notebook) for _ in range(times + 1)][1:]
    finally:
        torch.set_num_threads(threads)


def _own(course: Course, assignment: Assignment, notebook: bytes) -> float:
    spent = 0.0

    @contextmanager
    def timed(load: Load) -> Iterator[LocalWorker]:
        nonlocal spent
        started = time.perf_counter()
        with local_worker(load) as worker:
            spent += time.perf_counter() - started
            respond = worker.executor.respond

            def answer(request: Tree, payload: bytes) -> Answer:
                nonlocal spent
                started = time.perf_counter()
                try:
                    return respond(request, payload)
                finally:
                    spent += time.perf_counter() - started

            worker.executor.respond = answer  # type: ignore[method-assign]
            yield worker

    once(Submitted(assignment, notebook), course, timed)
    return spent

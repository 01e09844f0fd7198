"""No grade depends on the load of the machine, or on a failure of the grader."""

import os
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import proofs
import pytest
from checkout import ROOT
from machine_load import busy_machine

from grader.authoring.proof import cases
from grader.course import mistakes
from grader.course.course import Course
from grader.gradebook.store import Store
from grader.grading import class_run, judge_pool, retries
from grader.grading.judge_pool import JudgePool, Settings
from grader.intake.submissions import Submission

pytestmark = pytest.mark.long

SOFTMAX = "course_lib.numpy_forms.attention:softmax"
SCORES = "course_lib.numpy_forms.attention:scaled_scores"
LOOP = "def softmax(x, axis=-1):\n    while True:\n        pass\n"
CRASH = "import os\n\ndef scaled_scores(query, key):\n    os._exit(3)\n"
SETTINGS = Settings(jobs=2)
RIGHT = proofs.notebook("a1", "solution")


def submission(student: str, data: bytes) -> Submission:
    return Submission(student, "a1", f"{student}/a1.ipynb", data)


def reference(student: str) -> Submission:
    return submission(student, RIGHT)


@pytest.fixture(scope="module")
def impatient():
    """The course with less time for a call, so that endless loops cost the tests little."""
    hurried = [
        a.model_copy(update={"call_seconds": 1.0}) if a.id == "a1" else a
        for a in proofs.COURSE.assignments
    ]
    return proofs.COURSE.model_copy(update={"assignments": hurried})


@pytest.mark.slow
def test_a_class_gets_the_same_points_on_an_idle_and_on_a_busy_machine(impatient):
    some = mistakes.load(Course.here().assignment("a1"))[:1]
    submissions = [
        reference("right"),
        submission("torch", proofs.with_cells(RIGHT, "import torch")),  # seconds to load
        submission("loop", proofs.notebook("a1", "solution", {SOFTMAX: LOOP})),
        submission("crash", proofs.notebook("a1", "solution", {SCORES: CRASH})),
        *(submission(bug.name, cases.Case("a1", "bug", bug=bug).notebook) for bug in some),
    ]

    def graded(pool):
        found = retries.grade_all(submissions, None, {}, impatient, pool, ended=["a1"])
        return {s.student: points_and_outcomes(tried.result) for s, tried in found}

    with closing(JudgePool(impatient, {"a1"}, SETTINGS)) as idle:
        quiet = graded(idle)
    with closing(JudgePool(impatient, {"a1"}, SETTINGS)) as pool:
        pool.ask(os.getpid).result()
        with busy_machine():
            assert graded(pool) == quiet
    outcomes = {student: told["outcome"] for student, told in quiet.items()}
    assert outcomes == {
        "right": "GRADED",
        "torch": "GRADED",
        "loop": "TIMEOUT",
        "crash": "CRASHED",
        **{bug.name: "GRADED" for bug in some},
    }
    assert quiet["torch"]["totals"] == quiet["right"]["totals"]


def points_and_outcomes(result):
    """What counts; of a call in vain, which clock was the first to end it is the weather's."""
    told = {
        test.id: (test.outcome, test.points, None if test.outcome == "TIMEOUT" else test.message)
        for test in result.tests
    }
    return {"outcome": result.outcome, "totals": result.totals, "tests": told}


@pytest.mark.parametrize("victim", [pytest.param("judge", marks=pytest.mark.slow), "warm process"])
def test_a_grader_that_dies_costs_nobody_a_point(victim, monkeypatch):
    """Every part of the first round is killed once; what it held is graded again."""
    killed, sound = [], judge_pool.started

    @contextmanager
    def start(*arguments):
        with sound(*arguments) as pool:
            if not killed:
                kill = kill_a_judge if victim == "judge" else kill_the_warm_process
                killed.append(kill(pool))
            yield pool

    submissions = [reference(f"s{number}") for number in range(2)]
    monkeypatch.setattr(judge_pool, "started", start)
    with closing(JudgePool(proofs.COURSE, {"a1"}, SETTINGS)) as pool:
        found = list(retries.grade_all(submissions, None, {}, proofs.COURSE, pool))
    assert len(killed) == 1
    assert {s.student for s, _ in found} == {"s0", "s1"}
    assert all(tried.result.outcome == "GRADED" for _, tried in found)
    assert all(full(tried.result) for _, tried in found)


def test_a_grader_that_always_fails_leaves_a_row_that_says_so(tmp_path, monkeypatch):
    sound = judge_pool.started

    @contextmanager
    def failing(*arguments):
        with sound(*arguments) as pool:
            kill_the_warm_process(pool)
            yield pool

    def grade():
        with Store(tmp_path / "results.db") as store:
            handed_in = [reference("s1")]
            return next(class_run.grade_class(handed_in, proofs.COURSE, store, SETTINGS))

    monkeypatch.setattr(judge_pool, "started", failing)
    row = grade()
    assert row.outcome == "UNGRADED"
    assert row.reason.startswith("could not be graded: no worker could be started")
    assert row.reason.endswith("; run the same command again")
    assert (row.totals.total, row.totals.automatic) == (None, None)
    assert all(e.points is None for e in row.exercises)
    monkeypatch.setattr(judge_pool, "started", sound)
    assert full(grade()), "a row without points is no finished grade"
    monkeypatch.setattr(judge_pool, "started", None)
    assert full(grade()), "and this one is, so no judge was needed"


def full(result) -> bool:
    return result.totals.automatic == result.totals.automatic_max


def kill_a_judge(pool) -> int:
    pool.submit(os.getpid).result()
    pid = pool.submit(os.getpid).result()
    os.kill(pid, signal.SIGKILL)
    return pid


def kill_the_warm_process(_pool) -> int:
    # the newest child: other tests of this process have theirs, and a supervisor is called the same
    own = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()]
    own = [pid for pid in own if stat(pid)[1:2] == [str(os.getpid())]]
    pid = max((p for p in own if "sandbox/main.py" in command(p)), key=begun)
    os.kill(pid, signal.SIGKILL)
    return pid


def begun(pid: int) -> int:
    """When a process began, in ticks: numbers of processes come round again."""
    return int(stat(pid)[19])


def stat(pid: int) -> list[str]:
    """The fields of a process behind its name: state, parent, ...; none of one that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_a_forked_child_leaves_its_parents_folder_alone():
    """multiprocessing drops the parent's finalizers there, and with them what cleans up."""
    program = (
        "import multiprocessing as m, os, sys\n"
        "from grader.grading.warm_processes import place_sockets\n"
        "place_sockets()\n"
        "child = m.get_context('fork').Process(target=int)\n"
        "child.start(), child.join()\n"
        "sys.exit(not os.path.isdir(m.util.get_temp_dir()))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    assert (
        subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode
        == 0
    )

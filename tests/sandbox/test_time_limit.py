"""What counts is the CPU time that a worker takes, seen from outside; behind it, a wall clock."""

import os
import signal
import time

import pytest
from machine_load import busy_machine
from opening import PROGRAMS, backend_of, failure

from grader.judge.workers import load
from grader.judge.workers.load import Patience, TimeLimit
from grader.judge.workers.remote import SandboxError, WarmProcess
from grader.sandbox.wire import Timeout
from grader.seam import Student


def timed(call):
    began = time.monotonic()
    return call(), time.monotonic() - began


def test_a_busy_machine_costs_no_answer(submit):
    student = submit("computes", deadline=1.0)
    student.begin()
    with busy_machine():
        answer, seconds = timed(lambda: student.compute(0.7))
        assert answer == 1
        assert seconds > 1.0, "or the machine was not busy, and nothing is shown"
        error = failure(student.compute, 5.0)
    assert (error.kind, error.message) == ("TIMEOUT", "no answer within 1 s of CPU time")


def test_loading_counts_cpu_time_too(submit):
    slow = PROGRAMS["computes"] + "answer = compute({})\n"
    with busy_machine():
        student = submit(slow.format(0.7), load_deadline=1.0)
        answer, seconds = timed(student.answer.get)
        assert (answer, seconds > 1.0) == (1, True)
        error = failure(submit(slow.format(5), load_deadline=1.0).begin)
    assert error.message == "while the cells were loaded: no answer within 1 s of CPU time"


@pytest.mark.parametrize(
    "wait", ["time.sleep(60)", "lock.acquire()", "os.read(os.pipe()[0], 1)", "signal.pause()"]
)
def test_a_call_that_waits_for_nothing_is_not_waited_for(submit, wait):
    source = "import os, signal, threading, time\nlock = threading.Lock()\n"
    source += f"def f():\n    lock.acquire()\n    {wait}\n"
    student = submit(source, deadline=0.5)
    student.begin()
    error, seconds = timed(lambda: failure(student.f))
    assert error.message == "no answer: it waited for 0.5 s without computing"
    assert seconds < 5


@pytest.mark.parametrize("name", "fghk")
def test_what_children_compute_counts(submit, name):
    student = submit("computes", deadline=0.5)
    student.begin()
    assert failure(getattr(student, name)).message == "no answer within 0.5 s of CPU time"


def test_orphans_count_that_end_between_two_looks(any_tier):
    with backend_of(any_tier, "computes", deadline=30.0) as backend:
        student = Student(backend)
        student.begin()
        before = backend.clock()
        student.h(5, 0.1, 0.12)
        until = time.monotonic() + 20  # on a busy machine they end later
        while (counted := backend.clock() - before) <= 0.25 and time.monotonic() < until:
            time.sleep(0.2)  # the last one ends
        assert counted > 0.25, "it was 0.5 s, and the forks take less than 0.1 s"


def test_behind_the_cpu_time_stands_a_wall(submit, monkeypatch):
    monkeypatch.setattr(load, "WALL", 0.05)
    student = submit("computes", deadline=10.0)
    student.begin()
    assert failure(student.compute, 60.0).message == "no answer within 0.5 s"


def test_without_a_proc_the_wall_clock_counts_as_it_is():
    limit = TimeLimit(0.1, None)
    assert 0 < limit.left() <= 0.1
    time.sleep(0.1)
    with pytest.raises(Timeout, match="no answer within 0.1 s"):
        limit.left()


def test_a_worker_cannot_rename_itself_out_of_sight(submit):
    """The name of a process stands before its times in /proc, brackets and all."""
    student = submit(
        PROGRAMS["computes"] + "def f():\n"
        "    import ctypes\n"
        "    assert ctypes.CDLL(None).prctl(15, b') S 1 0 0', 0, 0, 0) == 0\n"
        "    return compute(60)\n",
        deadline=0.5,
    )
    student.begin()
    assert "CPU time" in failure(student.f).message


def test_each_call_in_vain_shortens_the_next_and_many_end_it(submit):
    patience = Patience()
    student = submit("computes", deadline=0.4, patience=patience)
    waited = []
    while not patience.exhausted:
        student.begin()
        waited.append(failure(student.compute, 60.0).message.split()[3])
    assert waited[:4] == ["0.4", "0.2", "0.1", "0.1"]
    last = failure(student.begin)
    assert (last.kind, "not run: 8 earlier calls" in last.message) == ("TIMEOUT", True)
    assert "not run" in failure(submit("computes", patience=patience).begin).message


def test_trouble_of_ours_does_not_pass_for_a_failing_test(tree):
    """A test that meets it fails; so the end of the block raises it again."""

    def run_tests(process):
        with backend_of(process, "computes") as backend:
            os.kill(process.pid, signal.SIGKILL)
            for _ in range(2):
                with pytest.raises(SandboxError):
                    Student(backend).begin()

    with WarmProcess(tree, min_tier="D") as process, pytest.raises(SandboxError):
        run_tests(process)


def test_a_submission_has_a_total_of_wall_time(submit):
    patience = Patience(total=3.0)
    student = submit("computes", deadline=10.0, patience=patience)
    student.begin()
    assert failure(student.compute, 60.0).kind == "TIMEOUT"
    error = failure(student.compute, 0.0)
    assert error.message == "not run: the notebook has taken 0.05 minutes, the most it may"
    assert "not run" in failure(submit("computes", patience=patience).begin).message


def test_children_together_use_no_more_cpu_time_than_a_worker_may(submit):
    student = submit("computes", deadline=60.0, limits={"cpu_seconds": 1})
    student.begin()
    assert "the most a notebook may use" in failure(student.g).message

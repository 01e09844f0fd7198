"""A signal in grading and in a study: it waits where something is half done, and is never lost."""

import signal
import subprocess
import sys
import threading

import pytest
from checkout import ROOT

from course_lib.study.database import interrupts as of_a_study
from grader.course import interrupts as of_grading

both = pytest.mark.parametrize("Interrupts", [of_grading.Interrupts, of_a_study.Interrupts])


@pytest.fixture(autouse=True)
def usual():
    """Ctrl-C as ever: it is ignored in what a shell starts with `&`."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(number=signal.SIGINT):
    signal.raise_signal(number)


def begin_and_end(block, done, number=signal.SIGINT):
    with block:
        done.append("begun")
        interrupted(number)
        done.append("ended")


@both
def test_it_waits_until_the_block_ends(Interrupts):
    done = []
    with pytest.raises(KeyboardInterrupt):
        begin_and_end(Interrupts(), done)
    assert done == ["begun", "ended"]


def test_it_is_raised_at_once_where_it_is_heard():
    done = []
    with of_a_study.Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        begin_and_end(interrupts.heard(), done)
    assert done == ["begun"]


def test_what_came_before_is_raised_where_it_is_heard_and_once():
    with of_a_study.Interrupts() as interrupts:
        interrupted()
        with pytest.raises(KeyboardInterrupt), interrupts.heard():
            pytest.fail("what must not begin began")
        assert interrupts.waiting is None


@both
def test_a_second_one_does_not_wait(Interrupts):
    with Interrupts():
        interrupted()
        with pytest.raises(KeyboardInterrupt):
            interrupted()


@both
def test_in_another_block_it_waits_for_the_outer_one(Interrupts):
    before, done = signal.getsignal(signal.SIGINT), []

    def outer():
        with Interrupts():
            begin_and_end(Interrupts(), done)
            done.append("the outer one too")

    with pytest.raises(KeyboardInterrupt):
        outer()
    assert done == ["begun", "ended", "the outer one too"]
    assert signal.getsignal(signal.SIGINT) is before


@both
def test_a_signal_that_is_ignored_stays_ignored(Interrupts):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            interrupted(signal.SIGTERM)
            assert interrupts.waiting is None
    finally:
        signal.signal(signal.SIGTERM, before)


@both
def test_another_thread_may_enter_it(Interrupts):
    told = []
    thread = threading.Thread(target=lambda: told.append(Interrupts().__enter__()))
    thread.start()
    thread.join()
    assert told


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@both
def test_after_the_block_a_signal_ends_the_program_as_ever(Interrupts, number):
    program = (
        "import signal, sys\n"
        f"from {Interrupts.__module__} import Interrupts\n"
        "with Interrupts():\n"
        f"    signal.raise_signal({int(number)})\n"
        "    print('cleaned up', flush=True)\n"
        "print('never')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (ended.returncode, ended.stdout) == (-number, "cleaned up\n")

"""A signal in grading: it waits where something is half done, and is never lost."""

import signal
import subprocess
import sys
import threading

import pytest
from checkout import ROOT

from grader.course.interrupts import Interrupts


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


def test_it_waits_until_the_block_ends():
    done = []
    with pytest.raises(KeyboardInterrupt):
        begin_and_end(Interrupts(), done)
    assert done == ["begun", "ended"]


def test_a_second_one_does_not_wait():
    with Interrupts():
        interrupted()
        with pytest.raises(KeyboardInterrupt):
            interrupted()


def test_in_another_block_it_waits_for_the_outer_one():
    before, done = signal.getsignal(signal.SIGINT), []

    def outer():
        with Interrupts():
            begin_and_end(Interrupts(), done)
            done.append("the outer one too")

    with pytest.raises(KeyboardInterrupt):
        outer()
    assert done == ["begun", "ended", "the outer one too"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            interrupted(signal.SIGTERM)
            assert interrupts.waiting is None
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_thread_may_enter_it():
    told = []
    thread = threading.Thread(target=lambda: told.append(Interrupts().__enter__()))
    thread.start()
    thread.join()
    assert told


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_after_the_block_a_signal_ends_the_program_as_ever(number):
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

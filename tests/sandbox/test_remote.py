"""The judge's side: what is loaded, replaced, remembered, and left behind."""

import multiprocessing
import os
import resource
import signal
import socket
import struct
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from opening import PROGRAMS, alive, assert_nothing_is_left, backend_of, failure, statements

from grader.judge.workers.load import Load
from grader.judge.workers.remote import RemoteBackend, SandboxError, WarmProcess
from grader.sandbox import process_tree, tiers
from grader.sandbox.wire import MAX_PAYLOAD, MAX_TREE, Channel, ProtocolError, Timeout, WallClock
from grader.seam import Student


def test_a_failing_statement_takes_down_only_its_own_names(submit):
    student = submit("fails_in_parts")
    assert student.double_again(3) == 12
    error = failure(student.table.get)
    assert (error.kind, error.message) == (
        "LOAD_ERROR",
        "cell 2, line 2 raised NameError: name 'nothing' is not defined",
    )
    assert "SystemExit" in failure(student.Broken).message
    assert failure(student.never_written).kind == "MISSING"
    assert [problem["cell"] for problem in student._backend.problems] == [2, 5]


def test_an_earlier_definition_survives_a_later_one_that_fails(submit):
    student = submit("def f():\n    return 1\n@nothing\ndef f():\n    return 2\n")
    assert student.f() == 1


def test_errors_name_the_cell_and_line(submit):
    error = failure(submit("x = 1\n\n\ndef f():\n    return x / 0\n").f)
    assert (error.kind, error.where) == ("ZeroDivisionError", "cell 2, line 5")


def test_sources_can_be_inspected(submit):
    student = submit("import inspect\n\ndef f():\n    return inspect.getsource(f)\n")
    assert student.f() == "def f():\n    return inspect.getsource(f)\n"


def test_substitutes_override_and_reasons_are_passed_on(submit):
    student = submit(
        "def f():\n    return g()\ndef g():\n    return 1\n",
        substitutes=["def g():\n    return 2", "def h():\n    return 3"],
        unavailable={"k": "cell 9 does not parse", "h": "cell 8 does not parse"},
    )
    assert (student.f(), student.h()) == (2, 3)
    assert failure(student.k).message == "cell 9 does not parse"


def test_after_a_hang_a_fresh_worker_has_everything_loaded_and_begun(submit):
    student = submit(
        PROGRAMS["counter"] + "import random\ndef draw():\n    return random.random()\n"
    )
    student.begin(seed=7)
    first = student.draw()
    assert [student.count(), student.count()] == [1, 2]
    assert failure(lambda: student.call(student.hang, deadline=0.2)).kind == "TIMEOUT"
    assert student.draw() == first, "the test was begun again, with its seed"
    assert student.count() == 1


def test_an_object_of_a_lost_worker_is_not_mistaken_for_another(submit):
    student = submit("counter")
    student.begin()
    layer = student.make("student['Layer']()")
    assert layer(3.0) == 6.0
    assert failure(lambda: student.call(student.hang, deadline=0.2)).kind == "TIMEOUT"
    assert "lost" in failure(layer, 3.0).message
    student.begin()
    assert student.make("student['Layer']()")(3.0) == 6.0


@pytest.mark.parametrize(
    ("source", "kind", "deadline"),
    [
        ("import time\ntime.sleep(60)\ndef f(): pass\n", "TIMEOUT", 0.5),
        ("import os\nos._exit(3)\ndef f(): pass\n", "CRASHED", 60.0),
    ],
)
def test_a_load_that_hangs_or_dies_is_not_tried_twice(submit, source, kind, deadline):
    student = submit(source, load_deadline=deadline)
    assert failure(student.begin).kind == kind
    error = failure(student.f)
    assert error.kind == kind
    assert "while the cells were loaded" in error.message
    assert len(student._backend.reports) == 1


def test_after_too_many_deaths_it_gives_up(submit):
    student = submit("import os\ndef f():\n    os._exit(0)\n", restarts=2)
    for _ in range(3):
        assert "exited with code 0" in failure(student.f).message
    error = failure(student.f)
    assert (error.kind, len(student._backend.reports)) == ("CRASHED", 3)
    assert "gave up" in error.message


def test_an_answer_too_large_is_the_students_error(submit):
    student = submit("def f():\n    return ['x' * 1_000_000] * 20\ndef g():\n    return 1\n")
    assert failure(lambda: student.call(student.f, deadline=10.0)).kind == "PROTOCOL"
    assert student.g() == 1


def test_memory_that_torch_asks_for_is_oom_as_well(submit):
    error = failure(submit("import torch\n\ndef f():\n    return torch.ones(2**33)\n").f)
    assert error.kind == "OOM"


def test_backward_works_after_a_fork(submit):
    student = submit("backward")
    assert [float(value) for value in student.f()] == [300.0, 3.0]


def test_every_layer_of_the_tier_is_reported(any_tier, submit):
    student = submit("def f():\n    return 1\n", process=any_tier)
    assert student.f() == 1
    isolation = student._backend.isolation
    assert isolation["tier"] == any_tier.workers.tier
    assert set(tiers.LAYERS[isolation["tier"]]) <= set(isolation["layers"])


def test_hangs_crashes_and_leftovers_on_every_tier(any_tier, submit):
    student = submit("lingers", process=any_tier)
    assert failure(lambda: student.call(student.hang, deadline=0.2)).kind == "TIMEOUT"
    assert failure(student.die).kind == "CRASHED"
    assert student.linger() == 1
    student._backend.close()
    assert_nothing_is_left(any_tier)


def test_closing_the_warm_process_ends_workers_that_are_still_open(tree):
    with WarmProcess(tree, min_tier="D") as process:
        student = Student(backend_of(process, "counter"))
        assert student.count() == 1
        below = process_tree.descendants(process.pid)
        assert len(below) == 2
    time.sleep(0.05)  # the last instructions of a process come after its files are closed
    assert not [pid for pid in below if alive(pid)]
    with pytest.raises(SandboxError):
        student.count()


def test_a_killed_warm_process_takes_its_workers_along(tree):
    with WarmProcess(tree, min_tier="D") as process:
        student = Student(backend_of(process, "counter"))
        student.count()
        below = process_tree.descendants(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        until = time.monotonic() + 60
        while any(alive(pid) for pid in below):
            assert time.monotonic() < until
            time.sleep(0.01)


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_other_judge_processes_share_the_warm_process(warm, method, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(__file__))
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, context, initializer=_remember, initargs=(warm.workers,)) as pool:
        assert list(pool.map(_ask, range(4))) == [0.0, 2.0, 4.0, 6.0]


_workers = None


def _remember(workers) -> None:
    global _workers
    _workers = workers


def _ask(number) -> float:
    source = statements("def double(x):\n    return 2 * x\n")
    with RemoteBackend(_workers, Load(source)) as backend:
        return Student(backend).double(float(number))


def test_a_tier_that_is_not_enough_is_refused_with_the_reason(tree):
    with pytest.raises(SandboxError, match="tier D only, but tier C is required"):
        WarmProcess(tree, tier="D").__enter__()


def test_a_module_that_is_missing_is_named(tree):
    with pytest.raises(SandboxError, match="no_such_library"):
        WarmProcess(tree, ["no_such_library"], min_tier="D").__enter__()


def test_numbers_travel_exactly(submit):
    x = np.random.default_rng(0).normal(size=(50, 70))
    assert np.array_equal(submit("def f(x):\n    return x\n").f(x), x)


# Framing: malformed and slow messages are distinguished, and use no memory.


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield Channel(ours), theirs
    ours.close()
    theirs.close()


def soon(seconds: float = 0.2) -> WallClock:
    return WallClock(seconds)


def test_a_message_comes_back_whole(ends):
    channel, theirs = ends
    other = Channel(theirs)
    payload = os.urandom(3_000_000)  # more than a socket holds
    sender = threading.Thread(target=channel.send, args=({"a": [1, "ü"]}, payload, soon(10)))
    sender.start()
    assert other.receive(soon(10)) == ({"a": [1, "ü"]}, payload)
    sender.join()


@pytest.mark.parametrize("lengths", [(MAX_TREE + 1, 0), (2, MAX_PAYLOAD + 1), (2**32 - 1,) * 2])
def test_announced_lengths_are_bounded_before_anything_is_allocated(ends, lengths):
    channel, theirs = ends
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    theirs.sendall(struct.pack("!II", *lengths))
    with pytest.raises(ProtocolError, match="length"):
        channel.receive(soon())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096


@pytest.mark.parametrize(
    "text", [b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b'"x"', b"1" * 10_000], ids=lambda t: t[:4]
)
def test_what_is_no_json_object_is_malformed(ends, text):
    channel, theirs = ends
    theirs.sendall(struct.pack("!II", len(text), 0) + text)
    with pytest.raises(ProtocolError):
        channel.receive(soon())


def test_too_large_a_message_is_not_sent(ends):
    channel, theirs = ends
    with pytest.raises(ProtocolError, match="MiB"):
        channel.send({"text": "x" * MAX_TREE})
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(1)


def test_silence_a_trickle_and_a_full_pipe_are_late(ends):
    channel, theirs = ends
    with pytest.raises(Timeout):
        channel.receive(soon())
    theirs.sendall(struct.pack("!II", 100, 0) + b"{")
    with pytest.raises(Timeout):
        channel.receive(soon())
    with pytest.raises(Timeout):
        channel.send({}, b"x" * 5_000_000, soon())


def test_the_end_of_the_stream_is_an_eof(ends):
    channel, theirs = ends
    theirs.sendall(b"\0\0")
    theirs.close()
    with pytest.raises(EOFError):
        channel.receive(soon())

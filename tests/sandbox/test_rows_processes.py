"""Submissions that hang, die, multiply or linger: rows 1 to 8, 27 to 33 and 49."""

import numpy as np
import pytest
from opening import assert_nothing_is_left, failure

from grader.seam import StudentError

X = np.array([[1.0, 2.0, 4.0], [-1e4, 0.0, 1e4]])


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def assert_honest_part(student):
    """The next test, of a function that has done nothing wrong, goes on."""
    student.begin()
    query, key = np.ones((2, 4)), np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(student.scaled_scores(query, key), query @ key.T / 2)


@pytest.mark.parametrize(
    ("name", "kinds", "deadline"),
    [
        ("01_infinite_loop", {"TIMEOUT"}, 0.5),
        ("02_ignores_signals", {"TIMEOUT"}, 0.5),
        ("02_sleeps_in_a_child", {"TIMEOUT"}, 1.0),
        ("02_hides_its_time", {"TIMEOUT"}, 1.0),
        ("03_fork_bomb", {"TIMEOUT", "OOM"}, 1.0),
        ("04_memory_bomb", {"OOM"}, 10.0),
        ("04_memory_in_children", {"OOM"}, 10.0),
        ("04_shared_memory", {"OOM", "OSError"}, 10.0),
        ("05_disk_fill", {"OSError"}, 10.0),
        ("06_exits", {"CRASHED"}, 1.0),
        ("27_floods_output", {"TIMEOUT"}, 0.5),
        ("28_network", {"PermissionError", "OSError"}, 1.0),
        ("31_patched_clocks", {"TIMEOUT"}, 0.5),
        ("33_segfault", {"CRASHED"}, 5.0),
        ("33_deep_recursion", {"CRASHED", "RecursionError"}, 10.0),
    ],
)
def test_it_costs_its_own_tests_only(submit, name, kinds, deadline):
    student = submit(name, deadline=deadline)
    student.begin()
    assert failure(student.softmax, X).kind in kinds
    assert_honest_part(student)
    student.begin()
    assert failure(student.softmax, X).kind in kinds  # and every time


@pytest.mark.parametrize("name", ["08_atexit", "29_background_process", "30_kills_everyone"])
def test_it_changes_nothing(submit, warm, best, name):
    if name == "30_kills_everyone" and best.name > "B":
        pytest.skip("only a process tree of its own makes this safe to try")
    student = submit(name)
    student.begin()
    np.testing.assert_allclose(student.softmax(X), softmax(X))
    assert_honest_part(student)
    student._backend.close()
    assert student._backend.reports[-1]["cause"] == "ended"
    assert_nothing_is_left(warm)


def test_honest_noise_earns_full_marks(submit):
    student = submit("49_honest_noise")
    student.begin()
    np.testing.assert_allclose(student.softmax(X), softmax(X))
    printed = student._backend.printed
    assert "softmax of (2, 3)" in printed
    assert "only a warning" in printed


def test_a_flood_is_cut_and_its_beginning_kept(submit):
    student = submit("27_floods_output", deadline=0.5)
    student.begin()
    failure(student.softmax, X)
    printed = student._backend.printed
    assert printed.startswith("all work and no play")
    assert len(printed) <= 16 * 1024


def test_no_way_out_is_open(submit, best):
    if best.name > "C":
        pytest.skip("the layers that close them are missing here")
    student = submit("32_escapes")
    student.begin()
    student.softmax(X)
    assert student.search() == []


def test_no_other_process_and_no_network_is_within_reach(isolated, submit):
    assert submit("reach", process=isolated).reach() == []


def test_a_disk_is_filled_on_no_tier(any_tier, submit):
    error = failure(submit("05_disk_fill", process=any_tier, deadline=20.0).softmax, X)
    assert error.kind == "OSError" or "wrote more" in error.message


def test_standard_input_is_closed(submit):
    student = submit("def ask():\n    return input()\n")
    student.begin()
    with pytest.raises(StudentError, match="EOFError"):
        student.ask()


def test_a_worker_has_its_own_user_and_sees_no_other_process(submit, best):
    if best.name != "A":
        pytest.skip(f"needs tier A: {best.missing}")
    student = submit("who_am_i")
    uid, pid, listed, folder = student.me()
    assert uid > 60_000
    assert (pid, listed, folder) == (1, [1], "/scratch")


def test_two_workers_have_different_users(submit, best):
    if best.name != "A":
        pytest.skip(f"needs tier A: {best.missing}")
    source = "import os\ndef me():\n    return os.getuid()\n"
    assert submit(source).me() != submit(source).me()


def test_only_the_stream_is_inherited(submit):
    student = submit("open_ones")
    assert student.open_ones() == [0, 1, 2, 3]

"""Submissions that look for answers, or write where they should not: rows 16 to 19 and 35."""

import os
from pathlib import Path

import numpy as np
import pytest
from checkout import ROOT
from opening import assert_nothing_is_left, backend_of
from world_tables import texts

from grader.checking import expect
from grader.seam import Student, StudentError

SEARCHES = ["16_searches_frames", "17_searches_modules", "18_searches_disk", "19_writes_gradebook"]


@pytest.mark.parametrize("name", SEARCHES)
def test_nothing_is_found(submit, best, name):
    if best.name == "D" and name[:2] in ("18", "19"):
        pytest.skip(f"tier D does not close the disk: {best.missing}")
    student = submit(name, deadline=20.0)
    student.begin()
    assert student.search() == []


def test_the_solution_is_not_there(submit):
    student = submit("35_imports_solution")
    student.begin()
    with pytest.raises(StudentError, match="ModuleNotFoundError") as caught:
        student.softmax(np.ones(3))
    assert caught.value.kind == "LOAD_ERROR"


def test_no_path_of_the_checkout_opens_on_any_tier_with_landlock(isolated, submit):
    student = submit("read", process=isolated)
    tried = """
        course.toml course_lib grader/course/course_file.py autograder autograder/a1
        grader/sandbox/main.py solutions tests .git .git/HEAD
    """.split()
    missing = [path for path in tried if not (ROOT / path).exists()]
    assert not missing or not (ROOT / ".git").is_dir(), "an archive or a worktree has none"
    opened = [path for path in tried if isinstance(student.read(str(ROOT / path)), int)]
    assert opened == []
    assert isinstance(student.read("/etc/shadow"), str)
    assert student.read(os.__file__) == 10, "the standard library stays readable"


def test_another_workers_folder_is_closed(isolated, submit):
    first, second = submit("read", process=isolated), submit("read", process=isolated)
    path = first.put()
    assert first.read(path) == 10
    assert isinstance(second.read(path), str)


def test_modules_that_nobody_imported_still_load(any_tier, submit):
    """Landlock, the view and another user's home leave lazy imports alone."""
    student = submit("lazy", process=any_tier)
    assert student.loaded() == ["colorsys", "wave"]


def test_the_judges_files_are_out_of_reach(isolated, submit, tmp_path):
    secret = Path(tmp_path, "gradebook.db")
    secret.write_text("0123456789")
    for folder in (secret, tmp_path, *tmp_path.parents[:1]):
        folder.chmod(0o777)
    assert isinstance(submit("read", process=isolated).read(str(secret)), str)


# Submissions that tamper with comparisons and messages: rows 9 to 15 and 25 to 27.


X = np.array([[1.0, 2.0, 4.0]])
WANT = np.exp(X - 4) / np.exp(X - 4).sum()


@pytest.mark.parametrize(
    "name",
    [
        "09_patches_allclose",
        "10_patches_builtins",
        "11_input_transformers",
        "13_patched_traceback",
        "14_equal_to_everything",
        "15_array_subclass",
        "15_tensor_subclass",
        "25_forges_stdout",
        "26_forges_protocol",
        "27_floods_protocol",
    ],
)
def test_a_wrong_answer_stays_wrong(submit, name):
    student = submit(name)
    student.begin()
    with pytest.raises((expect.Failure, StudentError)):
        expect.close(student.softmax(X), WANT)


@pytest.mark.parametrize(
    ("name", "kind"), [("15_array_subclass", np.ndarray), ("15_tensor_subclass", None)]
)
def test_subclasses_are_rebuilt_as_plain_arrays(submit, name, kind):
    import torch

    student = submit(name)
    student.begin()
    assert type(student.softmax(X)) is (kind or torch.Tensor)


@pytest.mark.parametrize("name", ["26_forges_protocol", "27_floods_protocol"])
def test_a_forged_answer_does_not_reach_the_next_test(submit, name):
    student = submit(name)
    for _ in range(2):
        student.begin()
        with pytest.raises((expect.Failure, StudentError)):
            expect.close(student.softmax(X), WANT)
        student.begin()
        expect.close(student.scaled_scores(X, 2 * X), X @ (2 * X).T / np.sqrt(3))


def test_a_flood_of_the_protocol_is_a_crash(submit):
    student = submit("27_floods_protocol")
    student.begin()
    with pytest.raises(StudentError) as caught:
        student.softmax(X)
    assert caught.value.kind == "CRASHED"


# Submissions that tamper with their worker: none is right, and none is in the way of another.


ROWS = np.array([[1.0, 2.0, 4.0], [-1e4, 0.0, 1e4]])
RIGHT = np.exp(ROWS - ROWS.max(-1, keepdims=True))
RIGHT /= RIGHT.sum(-1, keepdims=True)
HEAD = """
import atexit, gc, json, os, pickle, signal, socket, struct, sys, threading, time, weakref
import numpy as np

def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

"""
# By name: what is defined, above all `softmax`. Each tampers with something else than the others.
ATTACKS = texts("attacks", "forged_answers.toml")


def outcome(student):
    student.begin()
    try:
        return student.softmax(ROWS), None
    except StudentError as error:
        return None, error


@pytest.mark.parametrize("name", ATTACKS)
def test_tampering_earns_nothing_and_harms_nobody(isolated, name):
    with backend_of(isolated, HEAD + ATTACKS[name]) as backend:
        value, error = outcome(Student(backend))
        assert error is None or (error.kind != "PASSED" and len(error.message) <= 2000)
        assert not (np.shape(value) == ROWS.shape and np.allclose(value, RIGHT))
    with backend_of(isolated, HEAD) as backend:
        student = Student(backend)
        student.begin()
        query, key = np.ones((2, 4)), np.arange(12.0).reshape(3, 4)
        np.testing.assert_allclose(student.scaled_scores(query, key), query @ key.T / 2)
    assert_nothing_is_left(isolated)

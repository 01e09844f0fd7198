"""Submissions that tamper with their worker: none is right, and none is in the way of another."""

import numpy as np
import pytest
from opening import assert_nothing_is_left, backend_of
from world_tables import texts

from grader.seam import Student, StudentError

X = np.array([[1.0, 2.0, 4.0], [-1e4, 0.0, 1e4]])
RIGHT = np.exp(X - X.max(-1, keepdims=True))
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
        return student.softmax(X), None
    except StudentError as error:
        return None, error


@pytest.mark.parametrize("name", ATTACKS)
def test_tampering_earns_nothing_and_harms_nobody(isolated, name):
    with backend_of(isolated, HEAD + ATTACKS[name]) as backend:
        value, error = outcome(Student(backend))
        assert error is None or (error.kind != "PASSED" and len(error.message) <= 2000)
        assert not (np.shape(value) == X.shape and np.allclose(value, RIGHT))
    with backend_of(isolated, HEAD) as backend:
        student = Student(backend)
        student.begin()
        query, key = np.ones((2, 4)), np.arange(12.0).reshape(3, 4)
        np.testing.assert_allclose(student.scaled_scores(query, key), query @ key.T / 2)
    assert_nothing_is_left(isolated)

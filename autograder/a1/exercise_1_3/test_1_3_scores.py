"""Hidden tests of exercise 1.3: scaled dot products of every query with every key."""

import math

import numpy as np

from autograder.a1.reference import scaled_scores
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.1, Eq. 1"
ROWS = MISTAKE.scores_rows_are_keys
REVERSED = MISTAKE.scores_all_axes_transposed
UNTRANSPOSED = MISTAKE.scores_keys_not_transposed


def _raising(query, key):
    """Name the mistake that raises on these shapes; each must raise a different message."""
    return expect.raising(
        {
            REVERSED: lambda: query @ key.T,
            UNTRANSPOSED: lambda: query @ key,
            "`np.dot` pairs every sequence with every other: use `@`": lambda: np.dot(query, key.T),
            "`np.dot` of keys with their last two axes swapped pairs every sequence with every "
            "other: use `@`": lambda: np.dot(query, np.swapaxes(key, -1, -2)),
        },
        read=READ,
    )


@exercise("1.3")
def test_contract(student, rng):
    """One row per query and one column per key, also when n_q ≠ n_k."""
    query, key = rng.normal(size=(3, 4)), rng.normal(size=(6, 4))
    called = student.call(student.scaled_scores, query, key)
    expect.close(
        called.value,
        scaled_scores(query, key),
        atol=1e-5,
        otherwise="query (n_q, d_k) times the transposed key (d_k, n_k)",
        read=READ,
    )
    expect.unchanged(called.changed)


@exercise("1.3", weight=2)
def test_divides_by_root_d_k(student, rng):
    """The dot products are divided by √d_k, where d_k is the width of a key."""
    query, key = rng.normal(size=(5, 9)), rng.normal(size=(7, 9))
    dots = query @ key.T
    expect.close(
        student.scaled_scores(query, key),
        dots / 3,
        atol=1e-5,
        otherwise="QKᵀ/√d_k with d_k = query.shape[-1]",
        read=READ,
    )


@exercise("1.3")
def test_leading_axes(student, rng):
    """Each sequence of a batch is scored only against its own keys."""
    query, key = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(2, 3, 6, 4))
    with _raising(query, key):
        got = student.scaled_scores(query, key)
    pairs = np.einsum("abqd,xykd->abqxyk", query, key) / 2
    expect.close(
        got,
        scaled_scores(query, key),
        atol=1e-5,
        otherwise="swap only the last two axes of the keys (`.T` reverses all of them)",
        read=READ,
        what="scores of a batch",
    )


@exercise("1.3")
def test_cube(student, rng):
    """Four sequences of four tokens of width four, where no mistake raises a shape error."""
    query, key = rng.normal(size=(4, 4, 4)), rng.normal(size=(4, 4, 4))
    expect.close(
        student.scaled_scores(query, key),
        scaled_scores(query, key),
        atol=1e-5,
        otherwise="np.swapaxes(key, -1, -2)",
        read=READ,
    )


@exercise("1.3")
def test_shared_keys(student, rng):
    """Keys without a batch axis are shared by every sequence (leading axes broadcast)."""
    query, key = rng.integers(-3, 4, size=(2, 3, 4)), rng.integers(-3, 4, size=(5, 4))
    got = student.scaled_scores(query, key)
    expect.close(
        got,
        scaled_scores(query, key),
        atol=1e-5,
        otherwise="leading axes may differ if they broadcast, as in matmul and einsum's `...`",
        read=READ,
        what="integer scores, keys shared by the batch",
    )

"""Hidden tests of exercise 3.13: accuracy in bins of sentence length."""

import math

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 3.13"
KEYS = ("from", "to", "n", "accuracy", "standard_error")


def bins(lengths, correct, edges, closed="left"):
    """One (from, to, n, p, error) per bin."""
    rows = []
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        own = [
            right
            for length, right in zip(lengths, correct, strict=True)
            if (low <= length < high if closed == "left" else low < length <= high)
        ]
        p = sum(own) / len(own) if own else None
        error = math.sqrt(p * (1 - p) / len(own)) if own else None
        rows.append((low, high, len(own), p, error))
    return rows


def rows_of(student, lengths, correct, edges):
    """The student's rows, checked for their number and their five keys."""
    rows = answered(
        lambda: student.accuracy_by_length(lengths, correct, edges),
        "lengths and correct may be lists or arrays, and a bin may be empty",
        READ,
        kinds={"ZeroDivisionError": "an empty bin has no accuracy: n = 0 and None for both"},
    )
    expect.rows(rows, KEYS, read=READ)
    wanted = len(edges) - 1
    filled = sum(row[2] > 0 for row in bins(lengths, correct, edges))
    expect.equal(
        len(rows),
        wanted,
        otherwise="one row for each pair of neighboring edges",
        read=READ,
        what="the number of rows",
    )
    return rows


def compare(student, lengths, correct, edges):
    rows = rows_of(student, lengths, correct, edges)
    wanted = bins(lengths, correct, edges)
    expect.equal(
        [[int(row["from"]), int(row["to"])] for row in rows],
        [list(row[:2]) for row in wanted],
        read=READ,
        what="the ends of the bins",
    )
    counts = [row["n"] for row in rows]
    other = [row[2] for row in bins(lengths, correct, edges, "right")]
    expect.close(
        counts,
        [row[2] for row in wanted],
        otherwise="each sentence belongs to one bin: from ≤ length < to",
        read=READ,
        what="the numbers of sentences",
    )
    for row, (low, high, n, p, error) in zip(rows, wanted, strict=True):
        name = f"of lengths {low} to below {high}"
        if not n:
            check_empty_bin(row, name)
            continue
        expect.close(
            row["accuracy"],
            p,
            otherwise="the fraction of correct answers in the bin",
            read=READ,
            what=f"the accuracy {name}",
        )
        expect.close(
            row["standard_error"],
            error,
            otherwise="√(p(1 − p) / n) with the bin's own n",
            read="§6; exercise 3.13",
            what=f"the standard error {name}",
        )


def check_empty_bin(row, name):
    """Check for None in both measures of an empty bin."""
    both = [row["accuracy"], row["standard_error"]]
    numbers = [value for value in both if isinstance(value, (int, float))]
    said = "NaN" if any(math.isnan(value) for value in numbers) else "0"
    expect.true(
        both == [None, None],
        expected=f"None for the accuracy and standard error {name}",
        got=f"{both[0]} and {both[1]}",
        otherwise="n = 0, and None for both",
        read=READ,
    )


@exercise("3.13", weight=2)
def test_bins(student, rng):
    """Numbers, accuracies and standard errors of every bin."""
    lengths = [int(n) for n in rng.integers(2, 40, size=60)]
    correct = [bool(c) for c in rng.random(60) < 0.7]
    compare(student, [*lengths, 12, 12, 30], [*correct, True, False, True], [1, 10, 20, 30, 64])


@exercise("3.13")
def test_edges(student):
    """A length equal to an edge belongs to the bin that starts there."""
    lengths, correct = [4, 8, 8, 15, 5, 9], [True, True, False, True, False, True]
    compare(student, lengths, correct, [4, 8, 16])


@exercise("3.13")
def test_empty_bin(student):
    """An empty bin keeps its place, with n = 0 and None for both measures."""
    compare(student, [3, 4, 30, 31], [True, False, True, True], [0, 10, 20, 40, 80])


@exercise("3.13")
def test_arrays(student, rng):
    """Arrays and plain lists give the same rows."""
    lengths, correct = rng.integers(5, 25, size=20), rng.random(20) < 0.5
    rows = rows_of(student, lengths, correct, [5, 12, 25])
    wanted = bins(lengths.tolist(), correct.tolist(), [5, 12, 25])
    expect.close(
        [[row["n"], row["accuracy"]] for row in rows],
        [[row[2], row[3]] for row in wanted],
        read=READ,
        what="n and accuracy of each bin",
    )


@exercise("3.13", beside=["test_bins", "test_edges", "test_empty_bin"])
def test_outside(student):
    """A length outside all bins raises a ValueError that names it."""
    for lengths, outside in ([3, 7, 512], "512"), ([2, 5], "2"), ([3, 20, 8], "20"):
        expect.raises(
            lambda lengths=lengths: student.accuracy_by_length(
                lengths, [True] * len(lengths), [3, 10, 20]
            ),
            mentions=[outside],
            otherwise="a ValueError that names the length",
            read=READ,
        )

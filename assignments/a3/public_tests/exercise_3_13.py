"""The visible checks of exercise 3.13: from 10 to 512 tokens."""

import math

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("3.13")
def test_bins(student):
    """Three bins by hand, one of them empty."""
    rows = student.accuracy_by_length([3, 10, 4, 9], [True, False, False, True], [0, 10, 20, 30])
    expect.parts(rows, 3, otherwise="one dict for every bin, including empty ones",
                 read="exercise 3.13")
    wanted = ((0, 10, 3, 2 / 3, math.sqrt(2 / 27)), (10, 20, 1, 0.0, 0.0), (20, 30, 0, None, None))
    for row, (start, end, n, accuracy, error) in zip(rows, wanted, strict=True):
        at = f"of the bin from {start} to {end}"
        expect.equal([row["from"], row["to"], row["n"]], [start, end, n],
                     what=f"[from, to, n] {at}", read="exercise 3.13",
                     otherwise="from ≤ length < to: 10 belongs to the second bin")
        for key, want in (("accuracy", accuracy), ("standard_error", error)):
            if want is None:
                expect.equal(row[key], None, what=f"{key} {at}", read="exercise 3.13",
                             )
            else:
                expect.close(row[key], want, what=f"{key} {at}", read="exercise 3.13",
                             otherwise="√(p(1 − p)/n)" if key != "accuracy" else "")


@exercise("3.13", beside=["test_bins"])
def test_no_sentence_is_lost(student):
    """A length outside the edges raises a ValueError that names it."""
    for outside in (47, 10):
        expect.raises(
            lambda outside=outside: student.accuracy_by_length([3, outside], [True] * 2, [0, 10]),
            mentions=[str(outside)], because=f"{outside} tokens lie in no bin: no error says so",
            otherwise="a ValueError that names the length", read="exercise 3.13")

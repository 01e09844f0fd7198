"""Inputs that expose a given mistake in attention (assignment 1, exercise 1.10)."""

import numpy as np


def separating_input(bug: str) -> dict[str, np.ndarray | None]:
    """`query`, `key`, `value` and `mask` on which attention with `bug` gives a wrong output.

    Correct and wrong attention both run on them without an error; somewhere their outputs differ
    by more than 1e-3, or exactly one of them is NaN. The mistakes: "not-scaled",
    "keys-score-queries", "softmax-over-queries", "mask-after-softmax", "one-maximum",
    "empty-row-mean". Raises ValueError for any other name. Paper: §3.2.1, Eq. 1.
    """
    # Raw scores [[0, 0], [1, 3]]: not symmetric, and different along rows and columns.
    query = np.array([[2.0, 0.0], [0.0, 1.0]])
    key = np.array([[0.0, 1.0], [0.0, 3.0]])
    value = np.array([[1.0], [0.0]])
    mask = None
    if bug == "mask-after-softmax":
        # The first query sees one key of two: its weight must be 1, not its unmasked weight.
        mask = np.array([[True, False], [True, True]])
    elif bug == "empty-row-mean":
        mask = np.array([[False, False], [True, True]])
    elif bug == "one-maximum":
        # e^−746 is 0 in floating point: row maxima of 0 and 2121 make the first row 0/0.
        query = 1000 * query
    elif bug not in ("not-scaled", "keys-score-queries", "softmax-over-queries"):
        raise ValueError(f"no mistake is called {bug!r}: the docstring lists the six names")
    return {"query": query, "key": key, "value": value, "mask": mask}

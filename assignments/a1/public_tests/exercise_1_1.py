"""The visible checks of exercise 1.1: softmax."""

import numpy as np

from grader.checking.question import question

SUMS = "exponentiate every entry, then divide by the sum along `axis`, with keepdims=True"
SHIFT = "softmax(x + c) equals softmax(x): which c keeps every exponent at or below 0?"
READ, TRAP = "§3.2.1, Eq. 1", "exercise 1.1, the trap"
X = np.log([[1.0, 3.0], [1.0, 1.0]])


@question("1.1", weight=2, advice=SUMS, read=READ)
def test_every_axis(its):
    """Every row is its own distribution, also a single one; with `axis=0`, every column is."""
    arrays = {"two rows": X, "one row": X[0], "a batch of two rows": X[None]}
    found = {f"softmax of {name}": its.softmax(x) for name, x in arrays.items()}
    columns = its.call(its.softmax, X, axis=0)
    return found | {"softmax with axis=0": columns.value, "arguments changed": columns.changed}


@question("1.1", weight=2, advice=SHIFT, read=TRAP)
def test_shift(its):
    """Shifting inputs by ±1000 does not change the weights, in every row by itself."""
    arrays = ([1000.0, 1001, 1002], [-1000.0, -999, -998], [[0.0, 0], [1000, 1000]], [0.0, 2000])
    return {f"softmax of {x}": its.softmax(np.array(x)) for x in arrays}


@question(
    "1.1",
    weight=2,
    advice="an array of x's dtype would cut off fractions: make a new one",
    read=TRAP,
)
def test_integers(its):
    """Integer inputs give floating-point weights, whatever their type."""
    x = np.array([[7, 7], [-100, 100]])
    return {f"softmax of {kind}": its.softmax(x.astype(kind)) for kind in ("int64", "int8")}

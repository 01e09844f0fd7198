"""Hidden tests of exercise 2.7: counting the parameters of multi-head attention."""

import numpy as np

from grader.checking.question import question

SIZES = [(64, 4), (12, 3), (32, 1), (32, 16)]  # (d_model, n_heads)


def counts(its, rng, part):
    sizes = [*SIZES, (int(rng.integers(2, 9)) * 10, 5)]
    asked = [(*size, bias) for size in sizes for bias in (True, False)]
    return {f"{size}, bias={b}": its.parameter_counts(*size, bias=b)[part] for *size, b in asked}


@question("2.7", weight=2, advice="a head has d_model / n_heads features", read="§3.2.2")
def test_weights(its, rng):
    """The number of weights, for sizes other than the paper's, whatever the number of heads."""
    return counts(its, rng, 0)


@question("2.7", advice="one bias for every output feature of the four layers", read="§3.2.2")
def test_biases(its, rng):
    """The number of biases, with `bias=True` and `bias=False`."""
    whole = all(np.asarray(n).dtype.kind in "iu" for n in its.parameter_counts(24, 3))
    return counts(its, rng, 1) | {"both numbers are integers": whole}

"""Hidden tests of exercise 1.8: how far a function is from permutation equivariance."""

import numpy as np

from grader.checking.question import question

READ = "exercise 1.8; §3.5"
ADVICE = "compare function(x[permutation]) with function(x)[permutation], over tokens and features"
CYCLE = np.array([2, 0, 3, 1])  # one cycle of four tokens: not its own inverse


def _gaps(its, rng, *sources, width=3):
    """The gaps of odd functions for x and −x: in one of them, the largest is negative."""
    x, w = rng.normal(size=(4, width)), rng.normal(size=(4, 4)) / 2
    return {
        f"gap of {sign} x in {source}": its.equivariance_gap(
            its.make(f"lambda x: {source}", w=w), sign * x, CYCLE
        )
        for source in sources
        for sign in (1, -1)
    }


@question("1.8", weight=3, atol=1e-9, rtol=1e-5, advice=ADVICE, read=READ)
def test_tril(its, rng):
    """`np.tanh` has no gap; `np.tril` treats positions differently: a gap, also a tiny one."""
    return _gaps(its, rng, "np.tanh(x)", "np.tril(x)", "x + 1e-6 * np.tril(x)")


@question("1.8", weight=2, advice=ADVICE, read=READ)
def test_square_input(its, rng):
    """With four tokens and four features, the tokens are permuted, not the features."""
    return _gaps(its, rng, "np.tanh(w @ x)", width=4)

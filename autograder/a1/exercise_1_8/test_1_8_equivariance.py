"""Hidden tests of exercise 1.8: how far a function is from permutation equivariance."""

import numpy as np

from grader.checking.question import question

READ = "exercise 1.8; §3.5"
ADVICE = "compare function(x[permutation]) with function(x)[permutation], over tokens and features"
CYCLE = np.array([2, 0, 3, 1])  # one cycle of four tokens: not its own inverse
MIX = "(lambda e: e / e.sum(1, keepdims=True))({}(np.exp(x @ w[:3, :3] @ x.T))) @ x"


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


@question("1.8", advice=ADVICE, read=READ)
def test_contract(its, rng):
    """The gap is a plain number; x and permutation are left unchanged."""
    x, function = rng.normal(size=(4, 3)), its.make("lambda x: x - x[0]")
    called = its.call(its.equivariance_gap, function, x, CYCLE.copy())
    return {"gap": called.value, "arguments that it changed": called.changed}


@question("1.8", advice=ADVICE, read=READ)
def test_tanh(its, rng):
    """`np.tanh` treats each token separately, so the gap is 0."""
    return _gaps(its, rng, "np.tanh(x)")


@question("1.8", atol=1e-9, rtol=1e-5, advice=ADVICE, read=READ)
def test_tril(its, rng):
    """`np.tril` treats each position differently, so there is a gap, also a tiny one."""
    return _gaps(its, rng, "np.tril(x)", "x + 1e-6 * np.tril(x)")


@question("1.8", weight=2, advice=ADVICE, read=READ)
def test_square_input(its, rng):
    """With four tokens and four features, the tokens are permuted, not the features."""
    return _gaps(its, rng, "np.tanh(w @ x)", width=4)


@question("1.8", advice=ADVICE, read=READ)
def test_own_layers(its, rng):
    """Attention has no gap; causal attention has one."""
    return _gaps(its, rng, MIX.format("np.array"), MIX.format("np.tril"))

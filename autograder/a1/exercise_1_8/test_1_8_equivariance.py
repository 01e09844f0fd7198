"""Hidden tests of exercise 1.8: how far a function is from permutation equivariance."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "exercise 1.8; §3.5"
CYCLE = np.array([2, 0, 3, 1])  # one cycle of four tokens: not its own inverse
MIX_ALL = "lambda x: (lambda e: e / e.sum(1, keepdims=True))(np.exp(x @ w @ x.T)) @ x"
MIX_PAST = "lambda x: (lambda e: e / e.sum(1, keepdims=True))(np.tril(np.exp(x @ w @ x.T))) @ x"


def _causes(function, x, order):
    """The gaps that likely mistakes would measure."""
    inverse = np.argsort(order)
    right = function(x[order]) - function(x)[order]
    last = np.abs(function(x[order]) - function(x)).max()
    first = np.abs(function(x) - function(x)[order]).max()
    unpermuted = {MISTAKE.gap_output_unpermuted: last, MISTAKE.gap_input_unpermuted: first}
    if np.isclose(last, first):  # as for every equivariant function
        unpermuted = {"only one of the two is permuted: permute input and output": last}
    causes = {
        MISTAKE.gap_signed: right.max(),
        **unpermuted,
        MISTAKE.gap_inverse_permutation: np.abs(function(x[order]) - function(x)[inverse]).max(),
        MISTAKE.gap_permutation_turned_round: np.abs(
            function(x[inverse]) - function(x)[inverse]
        ).max(),
        MISTAKE.gap_mean: np.abs(right).mean(),
        "this is the sum of the differences: the gap is the largest": np.abs(right).sum(),
        MISTAKE.gap_norm: np.sqrt((right**2).sum()),
    }
    if x.shape[1] == len(order):
        causes[MISTAKE.gap_permutes_features] = np.abs(
            function(x[:, order]) - function(x)[:, order]
        ).max()
    return causes


def _agrees(student, rng, function, source, width=3, **data):
    """Compare with the gap of the odd `function`, on fresh tokens permuted in a cycle."""
    x = rng.normal(size=(4, width))
    difference = function(x[CYCLE]) - function(x)[CYCLE]
    want = np.abs(difference).max()
    if difference.max() == want:  # all these functions are odd: let the largest be negative
        x = -x
    got = student.equivariance_gap(student.make(source, **data), x, CYCLE)
    expect.close(
        got, want, atol=1e-6, read=READ,
        otherwise="compare function(x[permutation]) with function(x)[permutation]",
        what=f"the gap of `{source}`",
    )  # fmt: skip


@exercise("1.8")
def test_contract(student, rng):
    """The gap is a plain number; x and permutation are left unchanged."""
    x, order = rng.normal(size=(4, 3)), CYCLE.copy()
    called = student.call(student.equivariance_gap, student.make("lambda x: x - x[0]"), x, order)
    expect.close(
        called.value, np.abs(x[0] - x[CYCLE[0]]).max(), atol=1e-6, read=READ,
        otherwise="one number: the maximum over tokens and features",
    )  # fmt: skip
    expect.unchanged(
        called.changed,
    )


@exercise("1.8")
def test_tanh(student, rng):
    """`np.tanh` treats each token separately, so the gap is 0."""
    _agrees(student, rng, np.tanh, "np.tanh")


@exercise("1.8")
def test_tril(student, rng):
    """`np.tril` treats each position differently, so there is a gap."""
    _agrees(student, rng, np.tril, "np.tril")


@exercise("1.8", weight=2)
def test_square_input(student, rng):
    """With four tokens and four features, the tokens are permuted, not the features."""
    w = rng.normal(size=(4, 4)) / 2
    _agrees(student, rng, lambda x: np.tanh(w @ x), "lambda x: np.tanh(w @ x)", width=4, w=w)


@exercise("1.8")
def test_own_layers(student, rng):
    """Attention has no gap; causal attention has one."""
    w = rng.normal(size=(3, 3))

    def mixed(x, keep):
        e = np.exp(x @ w @ x.T) * keep
        return (e / e.sum(axis=1, keepdims=True)) @ x

    _agrees(student, rng, lambda x: mixed(x, 1.0), MIX_ALL, w=w)
    _agrees(student, rng, lambda x: mixed(x, np.tri(4)), MIX_PAST, w=w)

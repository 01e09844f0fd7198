"""The visible checks of exercise 1.5: a self-attention layer."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def _layer(student, seed, **sizes):
    return student.SelfAttention(rng=student.make(f"np.random.default_rng({seed})"), **sizes)


@exercise("1.5")
def test_two_seeds(student):
    """Generators with the same seed make the same layer, with different seeds different ones."""
    x = np.arange(12.0).reshape(3, 4) / 10
    first, again, other = (
        expect.parts(_layer(student, seed, d_model=4)(x), 2, otherwise="return output, weights")[0]
        for seed in (0, 0, 1)
    )
    expect.close(again, first, what="the output of a second layer made with default_rng(0)",
                 otherwise="draw every weight from `rng`, and from nothing else"
                 )
    expect.above(
        float(np.abs(np.asarray(other) - np.asarray(first)).max()), 1e-4,
        expected="a different layer from default_rng(1)", got="the same output",
        because="the weights are the same whatever `rng` is", read="exercise 1.5",
    )


@exercise("1.5")
def test_layer_shapes(student):
    """Weights and output have the requested sizes; the three projections differ."""
    layer = _layer(student, 0, d_model=8, d_k=4, d_v=3)
    for name, width in (("w_q", 4), ("w_k", 4), ("w_v", 3)):
        expect.shape(layer.get(name), (8, width), what=name, read="§3.2.2",
                     otherwise="w_q and w_k are (d_model, d_k), w_v is (d_model, d_v)"
                     )
    apart = np.abs(np.asarray(layer.get("w_q")) - np.asarray(layer.get("w_k"))).max()
    expect.above(
        float(apart), 1e-3, expected="w_k different from w_q", got="the same numbers in both",
        because="one matrix is used as both w_q and w_k: draw each from the same generator",
        read="§3.2.2",
    )
    output, weights = expect.parts(layer(np.ones((5, 8))), 2, otherwise="return output, weights")
    expect.shape(output, (5, 3), what="the output", otherwise="one vector of width d_v per token")
    expect.shape(weights, (5, 5), what="the weights",
                 otherwise="one row per query, one column per key")


@exercise("1.5")
def test_default_widths(student):
    """d_k and d_v are d_model when they are not given."""
    layer = _layer(student, 3, d_model=6)
    for name in ("w_q", "w_k", "w_v"):
        expect.shape(layer.get(name), (6, 6), what=name, read="exercise 1.5",
                     otherwise="d_k=None and d_v=None both mean d_model"
                     )


@exercise("1.5")
def test_the_mask_is_passed_on(student):
    """Under a causal mask, a token attends only to itself and earlier tokens."""
    x = np.arange(12.0).reshape(3, 4) / 10
    mask = np.tri(3, dtype=bool)
    layer = _layer(student, 0, d_model=4)
    _, free = expect.parts(layer(x), 2, otherwise="return output, weights")
    _, weights = expect.parts(layer(x, mask), 2, otherwise="return output, weights")
    allowed = np.where(mask, free, 0.0)
    expect.close(
        weights, allowed / allowed.sum(axis=-1, keepdims=True), atol=1e-5,
        what="weights under a causal mask",
        otherwise="attention(query, key, value, mask)", read="exercise 1.5",
    )


@exercise("1.5")
def test_no_twins(student):
    """Without `rng`, two layers differ and NumPy's global generator is untouched."""
    state = "(lambda s: [s[1].copy(), s[2]])(np.random.get_state())"
    keys, position = student.make(state).get()
    first, second = (np.asarray(student.SelfAttention(4).get("w_q")) for _ in range(2))
    keys_after, position_after = student.make(state).get()
    expect.true(
        np.array_equal(keys, keys_after) and position == position_after,
        expected="NumPy's global generator unchanged", got="a different state",
        because="the global generator is seeded or drawn from: use np.random.default_rng()",
        read="exercise 1.5",
    )
    expect.above(
        float(np.abs(first - second).max()), 1e-3, expected="two layers with different weights",
        got="the same w_q in both", otherwise="draw every weight from the generator",
        because="a fixed seed is used instead of a fresh generator" if np.ptp(first) > 0 else "",
        read="exercise 1.5, the trap",
    )

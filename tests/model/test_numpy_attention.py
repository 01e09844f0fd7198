"""Assignment 1's library: small values, properties, parity with SciPy and torch, gradients."""

import inspect

import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from course_lib.analysis.attention_properties import (
    equivariance_gap,
    operation_counts,
    score_statistics,
)
from course_lib.analysis.heat_maps import plot_attention
from course_lib.analysis.separating_input import separating_input
from course_lib.numpy_forms.attention import (
    SelfAttention,
    attention,
    project_qkv,
    scaled_scores,
    softmax,
)
from course_lib.numpy_forms.gradients import attention_backward
from grader.seam.axes import read

BUGS = ["not-scaled", "keys-score-queries", "softmax-over-queries", "mask-after-softmax",
        "one-maximum", "empty-row-mean"]  # fmt: skip
scores_of_any_size = arrays(np.float64, (3, 4), elements=st.floats(-1e6, 1e6))


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_softmax_equals_scipy_along_every_axis(axis):
    (x,) = draw(0, (2, 3, 4))
    np.testing.assert_allclose(softmax(x, axis=axis), scipy.special.softmax(x, axis=axis))


def test_softmax_of_integers_and_of_float32():
    np.testing.assert_allclose(softmax(np.array([0, 0, 10_000])), [0, 0, 1])
    assert softmax(np.zeros(3, np.float32)).dtype == np.float32


@settings(max_examples=50)
@given(scores_of_any_size, st.floats(-1e3, 1e3))
def test_softmax_is_a_distribution_that_ignores_a_shift(x, shift):
    weights = softmax(x)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1)
    np.testing.assert_allclose(softmax(x + shift), weights, atol=1e-6)


def test_projections_keep_leading_axes_and_their_own_width():
    x, w_q, w_k, w_v = draw(1, (2, 5, 6), (6, 4), (6, 4), (6, 3))
    for projected, weight in zip(project_qkv(x, w_q, w_k, w_v), (w_q, w_k, w_v), strict=True):
        np.testing.assert_allclose(projected, np.einsum("bnd,dk->bnk", x, weight))


def test_scores_by_hand():
    query, key = np.array([[3.0, 0, 0, 0], [0, 1, 0, 0]]), np.array([[2.0, 4, 0, 0]])
    np.testing.assert_allclose(scaled_scores(query, key), [[3.0], [2.0]])


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5), st.booleans())
def test_attention_equals_torch(seed, n_q, n_k, masked):
    query, key, value = draw(seed, (2, n_q, 4), (2, n_k, 4), (2, n_k, 3))
    mask = None
    if masked:  # torch has no convention of ours for a row without any key: leave one in each
        mask = np.random.default_rng(seed).random((n_q, n_k)) < 0.5
        mask[:, 0] = True
    got, weights = attention(query, key, value, mask)
    want = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (query, key, value)),
        attn_mask=None if mask is None else torch.from_numpy(mask),
    )
    np.testing.assert_allclose(got, want.numpy(), atol=1e-12)
    np.testing.assert_allclose(weights.sum(-1), 1)


def test_causal_attention_does_not_see_the_future():
    query, key, value = draw(2, (4, 3), (4, 3), (4, 2))
    causal = np.tril(np.ones((4, 4), dtype=bool))
    before, weights = attention(query, key, value, causal)
    key[3], value[3] = 100, 100
    after, _ = attention(query, key, value, causal)
    np.testing.assert_array_equal(before[:3], after[:3])
    assert (weights[~causal] == 0).all()


@pytest.mark.filterwarnings("error")
def test_a_query_without_any_key_gives_zeros_and_no_warning():
    query, key, value = draw(3, (2, 3, 4), (2, 5, 4), (2, 5, 2))
    mask = np.ones((2, 3, 5), dtype=bool)
    mask[1, 2] = False
    output, weights = attention(query, key, value, mask)
    assert not output[1, 2].any()
    assert not weights[1, 2].any()
    np.testing.assert_allclose(weights.sum(-1)[mask.any(-1)], 1)


@pytest.mark.parametrize(
    ("shapes", "named"),
    [
        (((3, 4), (5, 6), (5, 2)), ("(3, 4)", "(5, 6)")),
        (((3, 4), (5, 4), (6, 2)), ("(5, 4)", "(6, 2)")),
    ],
)
def test_wrong_shapes_are_named(shapes, named):
    with pytest.raises(ValueError, match="different") as raised:
        inspect.unwrap(attention)(*draw(0, *shapes))  # what users call: no shape checks
    assert all(name in str(raised.value) for name in named)


def test_a_mask_that_does_not_fit_is_a_value_error():
    with pytest.raises(ValueError, match=r"\(3,\s?4\)"):
        attention(*draw(0, (5, 4), (5, 4), (5, 4)), mask=np.ones((3, 4), dtype=bool))


def test_layer_has_its_own_weights_and_leaves_the_global_generator_alone():
    state = np.random.get_state()[1].copy()
    layer = SelfAttention(6, d_k=4, d_v=3, rng=np.random.default_rng(0))
    assert (layer.w_q.shape, layer.w_k.shape, layer.w_v.shape) == ((6, 4), (6, 4), (6, 3))
    assert not np.allclose(layer.w_q, layer.w_k)
    assert not np.allclose(SelfAttention(6).w_q, SelfAttention(6).w_q)
    np.testing.assert_array_equal(np.random.get_state()[1], state)
    (x,) = draw(4, (2, 5, 6))
    np.testing.assert_array_equal(layer(x)[0], layer(x)[0])
    assert layer(x)[0].shape == (2, 5, 3)


@pytest.mark.parametrize("masked", [False, True])
def test_backward_equals_finite_differences(masked):
    query, key, value, upstream = inputs = draw(5, (2, 3, 4), (2, 5, 4), (2, 5, 2), (2, 3, 2))
    mask = np.random.default_rng(5).random((3, 5)) < 0.6 if masked else None
    if mask is not None:
        mask[1] = False
    gradients = attention_backward(upstream, query, key, value, mask)
    for array, gradient in zip(inputs, gradients, strict=False):
        numeric = np.empty_like(array)
        for index in np.ndindex(array.shape):
            kept, losses = array[index], []
            for step in (1e-6, -1e-6):
                array[index] = kept + step
                losses.append(float((attention(query, key, value, mask)[0] * upstream).sum()))
            array[index] = kept
            numeric[index] = (losses[0] - losses[1]) / 2e-6
        np.testing.assert_allclose(gradient, numeric, atol=1e-7)


def test_heat_map_shows_rows_labels_and_masked_cells():
    weights = np.array([[1.0, 0.0], [0.25, 0.75]])
    mask = np.array([[True, False], [True, True]])
    shown = read(plot_attention(weights, ["a", "b"], mask))
    np.testing.assert_array_equal(shown["images"][0], [[1.0, np.nan], [0.25, 0.75]])
    assert shown["xticklabels"] == shown["yticklabels"] == ["a", "b"]
    assert shown["title"]
    assert "key" in shown["xlabel"]
    assert "query" in shown["ylabel"]
    with pytest.raises(ValueError, match=r"\(2, 2\).*\(3, 3\)"):
        plot_attention(weights, ["a", "b", "c"])


def test_scaling_keeps_the_variance_and_spreads_the_weights():
    raw, scaled, largest = score_statistics([1, 16, 512], 500, np.random.default_rng(6))
    np.testing.assert_allclose(raw, [1, 16, 512], rtol=0.25)
    np.testing.assert_allclose(scaled, 1, rtol=0.25)
    np.testing.assert_allclose(largest[2], [0.93, 0.16], atol=0.03)
    assert largest.shape == (3, 2)


def test_equivariance_of_a_layer_and_of_what_sees_the_order():
    (x,) = draw(7, (5, 4))
    order = np.array([2, 0, 1, 4, 3])
    layer = SelfAttention(4, rng=np.random.default_rng(7))
    assert equivariance_gap(lambda tokens: layer(tokens)[0], x, order) < 1e-12
    assert equivariance_gap(np.tanh, x, order) == 0
    assert equivariance_gap(np.tril, x, order) > 0.1


def test_operation_counts_are_exact_whole_numbers():
    counts = operation_counts(10**6, 512)
    assert counts["self-attention"] == {"operations": 512 * 10**12, "sequential": 1}
    assert counts["recurrent"] == {"operations": 512**2 * 10**6, "sequential": 10**6}


def attention_with(bug, query, key, value, mask):
    """Attention with one of the six mistakes."""
    scores = query @ key.T / (1 if bug == "not-scaled" else np.sqrt(query.shape[-1]))
    if bug == "keys-score-queries":
        scores = scores.T
    if mask is not None and bug != "mask-after-softmax":
        scores = np.where(mask, scores, -1e9)
    if bug == "one-maximum":
        exponentials = np.exp(scores - scores.max())
        weights = exponentials / exponentials.sum(-1, keepdims=True)
    else:
        weights = scipy.special.softmax(scores, axis=0 if bug == "softmax-over-queries" else -1)
    if mask is not None and bug != "empty-row-mean":
        weights = weights * mask
    return weights @ value


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("bug", BUGS)
def test_separating_inputs_separate(bug):
    inputs = separating_input(bug)
    right, wrong = attention(**inputs)[0], attention_with(bug, **inputs)
    np.testing.assert_allclose(attention_with("none", **inputs), right, atol=1e-12)
    assert not np.isnan(right).any()
    assert not np.nanmax(np.abs(right - wrong)) <= 1e-3 or np.isnan(wrong).any()


def test_an_unknown_bug_is_a_value_error():
    with pytest.raises(ValueError, match="typo"):
        separating_input("typo")

"""Assignment 2's library: parity with torch, fused equals readable, properties, measurements."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError
from torch import nn

from course_lib.analysis.heads import gradient_norms, head_diversity, parameter_counts
from course_lib.analysis.heat_maps import plot_heads
from course_lib.analysis.one_head_or_many import compare_heads
from course_lib.analysis.pointer_reader import PointerReader, accuracy, draw_examples
from course_lib.analysis.torch_attention import copy_from_torch, to_torch_mask
from course_lib.attention import MultiHeadAttention, attention, merge_heads, split_heads
from course_lib.fast.attention import FusedMultiHeadAttention, fused_attention
from course_lib.normalization import LayerNorm
from course_lib.residual import ResidualConnection
from grader.seam.axes import read

WRONG_SHAPE = (ValueError, TypeCheckError)  # shapes are watched in tests, see conftest.py


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def draw_mask(seed, *shape):
    """A random mask that leaves every query a key."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    mask[..., 0] = True
    return mask


MASKS = {
    "none": None,
    "causal": torch.ones(6, 6, dtype=torch.bool).tril(),
    "padding": draw_mask(1, 2, 1, 1, 6),
    "heads": draw_mask(2, 2, 4, 6, 6),
}


def modules(kind=MultiHeadAttention, bias=True, seed=0):
    """torch's module and ours with its weights, biases drawn too."""
    torch.manual_seed(seed)
    theirs = nn.MultiheadAttention(16, 4, dropout=0.0, bias=bias, batch_first=True)
    if bias:
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    ours = kind(16, 4, dropout=0.0, bias=bias)
    copy_from_torch(ours, theirs)
    return ours, theirs


# Attention and its fused form.


def test_attention_of_written_in_values():
    query, key = torch.tensor([[2.0, 0.0]]), torch.tensor([[math.log(3) / math.sqrt(2), 5], [0, 9]])
    output, weights = attention(query, key, torch.tensor([[4.0], [8.0]]))
    torch.testing.assert_close(weights, torch.tensor([[0.75, 0.25]]))
    torch.testing.assert_close(output, torch.tensor([[5.0]]))


@pytest.mark.parametrize("name", MASKS)
def test_fused_form_equals_the_readable_one_with_gradients(name):
    results = []
    for form in (lambda *a: attention(*a)[0], fused_attention):
        arguments = [draw(seed, 2, 4, 6, 5).requires_grad_() for seed in range(3)]
        output = form(*arguments, MASKS[name])
        gradients = torch.autograd.grad((output * draw(9, *output.shape)).sum(), arguments)
        results.append((output, *gradients))
    for readable, fused in zip(*results, strict=True):
        torch.testing.assert_close(fused, readable, atol=1e-5, rtol=0)


@pytest.mark.parametrize("form", [lambda *a: attention(*a)[0], fused_attention])
def test_a_query_without_keys_gets_zeros_and_finite_gradients(form):
    mask = torch.ones(2, 1, 3, 4, dtype=torch.bool)
    mask[0, 0, 1], mask[1] = False, False
    arguments = [draw(0, 2, 2, 3, 5), draw(1, 2, 2, 4, 5), draw(2, 2, 2, 4, 5)]
    arguments = [a.requires_grad_() for a in arguments]
    output = form(*arguments, mask)
    assert (output[0, :, 1] == 0).all()
    assert (output[1] == 0).all()
    gradients = torch.autograd.grad(output.sum(), arguments)
    assert all(torch.isfinite(g).all() for g in gradients)
    assert (gradients[0][0, :, 1] == 0).all()
    assert all((g[1] == 0).all() for g in gradients)


def test_dropout_falls_on_the_weights_and_not_on_those_returned():
    query, key, value = draw(0, 3, 4), draw(1, 5, 4), draw(2, 5, 4)
    output, weights = attention(query, key, value)
    doubled, same = attention(query, key, value, dropout=lambda w: 2 * w)
    torch.testing.assert_close(doubled, 2 * output)
    torch.testing.assert_close(same, weights)


def test_gradients_of_attention_agree_with_differences():
    arguments = [draw(seed, 3, 4).double().requires_grad_() for seed in range(3)]
    mask = draw_mask(0, 3, 3)
    mask[1] = False
    assert torch.autograd.gradcheck(lambda *a: attention(*a, mask), arguments)


@settings(max_examples=25)
@given(n_q=st.integers(1, 6), n_k=st.integers(1, 6), seed=st.integers(0, 1000))
def test_rows_of_weights_sum_to_one_or_are_empty(n_q, n_k, seed):
    mask = torch.rand(2, 1, n_q, n_k, generator=torch.Generator().manual_seed(seed)) < 0.5
    query, key, value = draw(seed, 2, 3, n_q, 4), draw(1, 2, 3, n_k, 4), draw(2, 2, 3, n_k, 5)
    output, weights = attention(100 * query, key, value, mask)
    assert (weights[~mask.expand_as(weights)] == 0).all()
    rows = mask.any(-1).expand(2, 3, n_q)
    torch.testing.assert_close(weights.sum(-1), rows.float())
    assert (output[~rows] == 0).all()


@settings(max_examples=25)
@given(n=st.integers(2, 7), cut=st.integers(1, 6), seed=st.integers(0, 1000))
def test_the_future_has_no_influence_under_a_causal_mask(n, cut, seed):
    cut = min(cut, n - 1)
    module, x = MultiHeadAttention(8, 2).eval(), draw(seed, 1, n, 8)
    changed = x.clone()
    changed[:, cut:] += 5
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    before, after = module(x, x, x, causal)[0], module(changed, changed, changed, causal)[0]
    torch.testing.assert_close(after[:, :cut], before[:, :cut])


@pytest.mark.parametrize("shapes", [((2, 3), (4, 5), (4, 5), None), ((2, 3), (4, 3), (5, 3), None)])
def test_shapes_that_do_not_fit_are_refused(shapes):
    with pytest.raises(WRONG_SHAPE):
        attention(*(draw(0, *shape) for shape in shapes[:3]))


@pytest.mark.parametrize("shape", [(4, 2), (3, 4), (1, 2, 4)])
def test_a_mask_that_does_not_fit_is_refused_by_both_shapes(shape):
    with pytest.raises(ValueError, match=r"mask \(.*scores \(2, 4\)"):
        attention(draw(0, 2, 3), draw(1, 4, 3), draw(2, 4, 3), torch.ones(shape).bool())


# Heads and the module.


def test_head_i_owns_its_features():
    x = torch.arange(24).reshape(1, 2, 12).float()
    heads = split_heads(x, 3)
    assert heads.shape == (1, 3, 2, 4)
    assert heads[0, 1].tolist() == [[4, 5, 6, 7], [16, 17, 18, 19]]


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4))
def test_merging_undoes_splitting_whatever_the_memory_layout(batch, n, n_heads, d_k):
    x = draw(0, n, batch, n_heads * d_k).transpose(0, 1)
    assert torch.equal(merge_heads(split_heads(x, n_heads)), x)


def test_features_that_heads_cannot_share_are_refused():
    with pytest.raises(ValueError, match="10 features.*4 heads"):
        split_heads(draw(0, 1, 2, 10), 4)
    with pytest.raises(ValueError, match="10 must be a multiple of n_heads = 4"):
        MultiHeadAttention(10, 4)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("kind", [MultiHeadAttention, FusedMultiHeadAttention])
def test_module_equals_torchs(kind, name, bias):
    ours, theirs = modules(kind, bias)
    query, key, value = draw(0, 2, 6, 16), draw(1, 2, 6, 16), draw(2, 2, 6, 16)
    mask = MASKS[name]
    full = None if mask is None else mask.expand(2, mask.shape[-3] if mask.ndim == 4 else 1, 6, 6)
    blocked = None if full is None else to_torch_mask(full, 4)
    wanted, weights = theirs(query, key, value, attn_mask=blocked, average_attn_weights=False)
    output, nothing = ours(query, key, value, mask)
    assert nothing is None
    torch.testing.assert_close(output, wanted, atol=1e-5, rtol=0)
    output, own = ours(query, key, value, mask, need_weights=True)
    torch.testing.assert_close(output, wanted, atol=1e-5, rtol=0)
    torch.testing.assert_close(own, weights, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", [MultiHeadAttention, FusedMultiHeadAttention])
def test_queries_and_keys_may_differ_in_number_and_dropout_rests_in_eval(kind):
    module = kind(16, 4, dropout=0.5)
    query, memory = draw(0, 2, 3, 16), draw(1, 2, 7, 16)
    first, second = module(query, memory, memory)[0], module(query, memory, memory)[0]
    assert first.shape == (2, 3, 16)
    assert not torch.equal(first, second)
    module.eval()
    assert torch.equal(module(query, memory, memory)[0], module(query, memory, memory)[0])
    assert module(query, memory, memory, need_weights=True)[1].shape == (2, 4, 3, 7)


def test_state_dicts_fit_both_forms():
    names = [f"w_{n}.{part}" for n in "qkvo" for part in ("weight", "bias")]
    assert list(MultiHeadAttention(8, 2).state_dict()) == names
    assert list(FusedMultiHeadAttention(8, 2).state_dict()) == names


def test_masks_are_turned_round_for_torch():
    causal = MASKS["causal"]
    assert torch.equal(to_torch_mask(causal, 4), causal.logical_not())
    converted = to_torch_mask(MASKS["heads"], 4)
    assert torch.equal(converted[1 * 4 + 3], MASKS["heads"][1, 3].logical_not())
    with pytest.raises(ValueError, match="full size"):
        to_torch_mask(torch.ones(2, 6, 6).bool(), 4)


def test_weights_are_copied_between_modules_that_agree_on_biases():
    ours, theirs = MultiHeadAttention(16, 4, bias=False), nn.MultiheadAttention(16, 4)
    with pytest.raises(ValueError, match="the same `bias`"):
        copy_from_torch(ours, theirs)


# Layer normalisation and the residual connection.


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
def test_layer_norm_equals_torchs(scale):
    ours, theirs = LayerNorm(4), nn.LayerNorm(4, eps=1e-6)
    nn.init.normal_(theirs.weight)
    nn.init.normal_(theirs.bias)
    ours.load_state_dict(theirs.state_dict())
    results = []
    for layer in (ours, theirs):
        x = (scale * draw(0, 2, 3, 4)).requires_grad_()
        output = layer(x)
        loss = (output * draw(1, 2, 3, 4)).sum()
        results.append((output, *torch.autograd.grad(loss, [x, layer.weight, layer.bias])))
    for own, wanted in zip(*results, strict=True):
        torch.testing.assert_close(own, wanted, atol=1e-5, rtol=1e-4)


def test_layer_norm_of_written_in_values():
    x = torch.tensor([[0.01, -0.01, 0.01, -0.01]])
    torch.testing.assert_close(LayerNorm(4)(x), x / math.sqrt(1e-4 + 1e-6))


def around(residual, x):
    """A residual connection around the sub-layer tanh."""
    return residual.leave(x, torch.tanh(residual.enter(x)))


def test_residual_orders():
    x = draw(0, 2, 3, 8)
    norm = nn.LayerNorm(8, eps=1e-6)
    post, pre = ResidualConnection(8, 0.0), ResidualConnection(8, 0.0, norm_first=True)
    torch.testing.assert_close(around(post, x), norm(x + torch.tanh(x)))
    torch.testing.assert_close(around(pre, x), x + torch.tanh(norm(x)))


def test_residual_dropout_spares_the_input():
    x = draw(0, 2, 3, 8)
    torch.testing.assert_close(around(ResidualConnection(8, 1.0, norm_first=True), x), x)
    torch.testing.assert_close(around(ResidualConnection(8, 1.0), x), LayerNorm(8)(x))


# Measurements.


@pytest.mark.parametrize("n_heads", [1, 8, 16])
@pytest.mark.parametrize("bias", [True, False])
def test_parameter_counts_are_those_of_the_module(n_heads, bias):
    module = MultiHeadAttention(64, n_heads, bias=bias)
    sizes = {name: p.numel() for name, p in module.named_parameters()}
    weights = sum(size for name, size in sizes.items() if name.endswith("weight"))
    assert parameter_counts(64, n_heads, bias) == (weights, sum(sizes.values()) - weights)


def test_gradient_norms_leave_no_trace_and_see_detached_branches():
    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.seen, self.unseen = nn.Linear(4, 3), nn.Linear(4, 3)

        def forward(self, x):
            return self.seen(x) + self.unseen(x).detach(), None

    module, x = Branches(), draw(0, 2, 4)
    ramp = torch.linspace(-1, 1, 6).view(2, 3)
    first = gradient_norms(module, x)
    assert first == gradient_norms(module, x)
    assert first["unseen.weight"] == first["unseen.bias"] == 0.0
    assert first["seen.weight"] == pytest.approx(float((ramp.T @ x).norm()), rel=1e-5)
    assert all(p.grad is None for p in module.parameters())


def test_gradients_survive_layer_normalisation():
    module = nn.Sequential(nn.Linear(4, 4), LayerNorm(4))
    assert all(norm > 1e-3 for norm in gradient_norms(module, draw(0, 5, 4)).values())


def test_head_diversity_between_equal_and_disjoint_heads():
    look = torch.eye(4)
    assert head_diversity(torch.stack([look, look])[None]) == 0.0
    assert head_diversity(torch.stack([look, look.flip(0)])[None]) == 1.0
    # Two equal heads and one apart: of three pairs two differ.
    assert head_diversity(torch.stack([look, look, look.flip(0)])) == pytest.approx(2 / 3)


def test_head_diversity_counts_only_open_rows():
    look = torch.eye(4).expand(1, 2, 4, 4).clone()
    look[0, 1, 0] = torch.tensor([0.0, 0.0, 0.0, 1.0])
    mask = torch.ones(1, 1, 4, 4).bool()
    mask[:, :, 2:] = False
    assert head_diversity(look) == 0.25
    assert head_diversity(look, mask) == 0.5
    with pytest.raises(ValueError, match="every row is fully masked"):
        head_diversity(look, torch.zeros_like(mask))
    with pytest.raises(ValueError, match="two or more"):
        head_diversity(look[:, :1])


def test_plot_heads_shows_every_head_under_one_scale():
    weights = torch.softmax(draw(0, 5, 3, 3), -1).numpy()
    axes = plot_heads(weights, ["a", "b", "c"])
    assert len(axes) == 5
    for number, (ax, one) in enumerate(zip(axes, weights, strict=True)):
        figure = read(ax)
        np.testing.assert_allclose(figure["images"][0], one)
        assert str(number) in figure["title"]
        assert figure["xticklabels"] == figure["yticklabels"] == ["a", "b", "c"]
        assert ax.images[0].get_clim() == (0, 1)
    plt.close("all")
    with pytest.raises(ValueError, match="do not fit 2 tokens"):
        plot_heads(weights, ["a", "b"])


# The task of two pointers.


def test_answers_are_the_symbols_at_the_two_positions():
    symbols, pointers, answers = draw_examples(3, torch.Generator().manual_seed(0))
    for memory, asked, wanted in zip(symbols, pointers, answers, strict=True):
        assert torch.equal(memory[asked], wanted)


def test_accuracy_wants_both_answers():
    examples = draw_examples(4, torch.Generator().manual_seed(0))
    right = nn.functional.one_hot(examples.answers, 8).float()
    right[..., 1, :] *= -1
    assert accuracy(lambda _: right.abs(), examples) == 1.0
    assert accuracy(lambda _: right, examples) == 0.0


def test_two_heads_beat_one_with_equal_parameters_and_fresh_examples():
    before = torch.get_rng_state()
    rows = compare_heads([1, 2], seeds=range(3), steps=60)
    assert torch.equal(before, torch.get_rng_state())
    assert [(row["n_heads"], row["seed"]) for row in rows] == [
        (h, s) for h in (1, 2) for s in range(3)
    ]
    assert len({row["parameters"] for row in rows}) == 1
    scores = [row["validation_accuracy"] for row in rows]
    assert max(scores[:3]) < 0.5 < 0.8 < min(scores[3:])
    memorised = compare_heads([2], seeds=[0], steps=60, n_train=8)
    assert memorised[0]["validation_accuracy"] < 0.3


def test_pointer_reader_asks_its_memory():
    reader = PointerReader(MultiHeadAttention(8, 2, dropout=0.0), 8)
    assert reader(draw_examples(5, torch.Generator())).shape == (5, 8, 2, 8)

"""Hidden tests of exercise 3.5: one encoder layer, with given weights."""

import functools

import torch

from autograder.a2.multi_head_reference import reference as multi_head
from autograder.a3.answers import (
    answered,
    named_parts,
    no_weights_unasked,
    normal,
    only_one_rate,
)
from autograder.a3.encoder_reference import draw, layer, layer_shapes, network, norm, under
from autograder.a3.exercise_3_5.torch_encoder_layer import torch_case
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.1, Encoder"
SIZES = (8, 2, 12)  # d_model, n_heads, d_ff
CUT = "`.detach()` or `torch.no_grad()` cuts the path"
WAY = "first enter and leave `attention_residual`, then `feed_forward_residual`"


def build(student, state, dropout=0.1, norm_first=False):
    module = student.EncoderLayer(*SIZES, dropout, norm_first)
    named_parts(
        module,
        layer_shapes(SIZES[0], SIZES[2]),
        "the parts `attention`, `attention_residual`, `feed_forward`, `feed_forward_residual`: "
        "each sub-layer has its own residual connection",
        "the docstring of 3.5",
    )
    module.load_state_dict(state)
    module.eval()
    return module


def mistakes(x, state, mask, norm_first):
    """The output that each likely mistake would give."""
    made = functools.partial(layer, x, state, SIZES[1])
    own = ("attention", "feed_forward")
    causes = {
        MISTAKE.layer_residual_missing: made(mask, norm_first, add=(True, False)),
        "the attention has no residual connection": made(mask, norm_first, add=(False, True)),
        MISTAKE.layer_order_exchanged: made(mask, norm_first, order=own[::-1], norms=own[::-1]),
        MISTAKE.layer_one_residual_for_both: made(mask, norm_first, norms=(own[0],) * 2),
        MISTAKE.layer_residuals_exchanged: made(mask, norm_first, norms=own[::-1]),
        MISTAKE.layer_norm_first_dropped: made(mask, False),
        "this is pre-norm: norm_first=False means post-norm, the paper's order": made(mask, True),
        MISTAKE.layer_attention_gets_x: made(mask, norm_first, triple=lambda given, x: (x, x, x)),
        MISTAKE.layer_keys_from_x: made(mask, norm_first, triple=lambda given, x: (given, x, x)),
        "the attention is left out": (
            layer(
                x,
                {n: v * (0 if n.startswith("attention.w_o") else 1) for n, v in state.items()},
                SIZES[1],
                mask,
                norm_first,
            )
        ),
    }
    if mask is not None:
        causes |= {
            MISTAKE.layer_mask_not_passed_on: made(None, norm_first),
            "the mask is inverted before it reaches the attention": made(~mask, norm_first),
        }
    return {name: found[0] for name, found in causes.items()}


def compare(module, x, state, mask=None, norm_first=False):
    call = answered(lambda: module(x, mask, need_weights=True), WAY, READ)
    output, weights = expect.parts(call, 2, otherwise="return (output, weights)", read=READ)
    wanted = layer(x, state, SIZES[1], mask, norm_first)
    expect.close(
        output,
        wanted[0],
        atol=1e-4,
        otherwise=WAY,
        read=READ,
        what=f"the output with norm_first={norm_first}",
    )
    expect.close(
        weights,
        wanted[1],
        atol=1e-5,
        otherwise="return the self-attention's weights, one map per head",
        read=READ,
        what="the weights",
    )


# Computed here, before an exercise's rules forbid torch's layer.
TORCH_CASES = {norm_first: torch_case(norm_first) for norm_first in (False, True)}


@exercise("3.5", weight=2)
def test_post_norm(student, rng):
    """Self-attention, then the feed-forward network, each added and then normalized."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x = normal(rng, 2, 4, 8)
    compare(module, x, state)
    expect.unchanged(student.call(module, x).changed)


@exercise("3.5")
def test_pre_norm(student, rng):
    """With `norm_first`, both sub-layers get the normalized input."""
    state = draw(rng, layer_shapes(8, 12))
    compare(build(student, state, norm_first=True), normal(rng, 2, 4, 8), state, None, True)


@exercise("3.5", weight=2)
def test_mask(student, rng):
    """The mask reaches the attention: padding does not affect the real tokens."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x = normal(rng, 2, 5, 8)
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    mask[0, ..., 3:] = False
    compare(module, x, state, mask)
    other = x.clone()
    other[0, 3:] += 5
    before, after = (expect.parts(module(v, mask), 2)[0] for v in (x, other))
    expect.close(
        after[0, :3],
        before[0, :3],
        atol=1e-4,
        otherwise="the output at a real token must not depend on the padding",
        read="§3.2.3",
        what="real tokens, after the padding has changed",
    )


@exercise("3.5")
def test_parity_with_torch(student):
    """Equal to torch's encoder layer at the real tokens, in both orders."""
    for norm_first, (x, padding, wanted, state) in TORCH_CASES.items():
        module = build(student, state, norm_first=norm_first)
        output, _ = expect.parts(module(x, ~padding[:, None, None, :]), 2)
        expect.shape(output, tuple(wanted.shape), what="the output", read=READ)
        expect.close(
            output[~padding],
            wanted[~padding],
            atol=1e-4,
            otherwise=WAY,
            read=READ,
            what=f"the output at real tokens with norm_first={norm_first}",
        )


@exercise("3.5")
def test_dropout(student, rng):
    """The dropout rate reaches the attention and both residual connections, in training only."""
    state = draw(rng, layer_shapes(8, 12))
    x = normal(rng, 2, 4, 8)
    module = build(student, state, dropout=1.0, norm_first=True)
    compare(module, x, state, None, True)
    module.train()
    bias = state["attention.w_o.bias"]

    def second(x):
        return x + network(norm(x, state, "feed_forward_residual."), state)

    only_one_rate(student, module, "both residual connections", x)
    expect.close(
        expect.parts(module(x), 2)[0],
        x,
        atol=1e-4,
        otherwise="with a rate of 1 every sub-layer's output is dropped and x remains",
        read="§5.4",
        what="the pre-norm output in training mode, dropout = 1",
    )
    inner = module.get("attention")
    inner.train()
    only_one_rate(student, inner, "the attention", x, x, x)
    whole, _ = multi_head(under(state, "attention."), SIZES[1], (x, x, x))
    expect.close(
        expect.parts(inner(x, x, x), 2)[0],
        bias.expand_as(x),
        atol=1e-4,
        otherwise="with a rate of 1 all weights are dropped and only the bias of `w_o` remains",
        read="the docstring of 3.5",
        what="the attention's output in training mode, dropout = 1",
    )


@exercise("3.5")
def test_weights_only_when_asked_for(student, rng):
    """`need_weights` switches between each head's weights and None."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x = normal(rng, 1, 3, 8)
    no_weights_unasked(module, x, "the docstring of 3.5")
    compare(module, x, state)


@exercise("3.5")
def test_gradients(student, rng):
    """The gradients of x and of every parameter are those of the formula."""
    state = draw(rng, layer_shapes(8, 12))
    module = build(student, state)
    x, cotangent = normal(rng, 2, 3, 8), normal(rng, 2, 3, 8)
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    point = x.clone().requires_grad_()
    made, _ = layer(point, leaves, SIZES[1])
    wanted = torch.autograd.grad(made, [point, *leaves.values()], cotangent)
    got = student.vjp(module, x, cotangent=cotangent, parameters=True)
    found = [*(got.parameters.get(name) for name in leaves), got.arguments.get(0)]
    wanted = [*wanted[1:], wanted[0]]
    for name, have, want in zip([*leaves, "x"], found, wanted, strict=True):
        expect.close(
            torch.zeros_like(want) if have is None else have,
            want,
            atol=1e-3,
            rtol=1e-3,
            otherwise=f"one path through the layer passes no gradient: {CUT}?",
            read=READ,
            what=f"the gradient of `{name}`",
        )

"""Hidden tests of exercise 3.6: the stack of encoder layers."""

import torch

from autograder.suites.a3.answers import answered, named_parts, normal
from autograder.suites.a3.encoder_reference import draw, encoder, encoder_shapes
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

READ = "§3.1, Encoder"
SIZES = (3, 8, 2, 12)  # n_layers, d_model, n_heads, d_ff


def build(student, rng, dropout=0.1, norm_first=False, n_layers=3):
    module = student.Encoder(n_layers, *SIZES[1:], dropout, norm_first)
    shapes = encoder_shapes(n_layers, 8, 12, norm_first)
    found = set(module.state_dict())
    if norm_first and "norm.weight" not in found:
        cause = "the last norm is missing: in pre-norm nothing normalises the sum of a layer"
    elif not norm_first and "norm.weight" in found:
        cause = "a last norm in post-norm: the last layer has normalised its sum already"
    else:
        cause = "`layers`, an nn.ModuleList of n_layers layers"
    named_parts(module, shapes, cause, "the docstring of 3.6")
    trained = module.parameters()
    expect.true(
        len(trained) == len(shapes),
        expected=f"{len(shapes)} parameters in {n_layers} layers",
        got=f"{len(trained)}",
        otherwise="all layers are one and the same object: make each layer anew",
        read='§3.1: "a stack of N = 6 identical layers"; their parameters are their own',
    )
    state = draw(rng, shapes)
    module.load_state_dict(state)
    module.eval()
    return module, state


def compare(module, x, state, mask=None, norm_first=False, n_layers=3):
    call = answered(
        lambda: module(x, mask, need_weights=True),
        "hand x from layer to layer: a layer gives (x, weights)",
        READ,
    )
    output, weights = expect.parts(call, 2, otherwise="return (output, weights)", read=READ)
    wanted, maps = encoder(x, state, SIZES[2], mask, norm_first)
    order = list(range(n_layers))
    causes = {
        "the layers are run in reverse": encoder(
            x, state, SIZES[2], mask, norm_first, own=order[::-1]
        )[0],
        "every layer gets the embeddings: hand x from layer to layer": encoder(
            x, state, SIZES[2], mask, norm_first, own=order[-1:]
        )[0],
        "only the first layer is run": encoder(x, state, SIZES[2], mask, norm_first, own=[0])[0],
        "`norm_first` does not reach the layers": encoder(
            x, state, SIZES[2], mask, False, last_norm=norm_first
        )[0],
        "the mask is not passed on: padding is attended to": encoder(
            x, state, SIZES[2], None, norm_first
        )[0],
    }
    if norm_first:
        causes["the last norm is missing: it follows the last layer"] = encoder(
            x, state, SIZES[2], mask, True, last_norm=False
        )[0]
    if mask is None:
        del causes["the mask is not passed on: padding is attended to"]
    expect.close(
        output,
        wanted,
        atol=1e-3,
        rtol=1e-4,
        causes=causes,
        otherwise="the output of one layer is the input of the next",
        read=READ,
        what=f"the output with norm_first={norm_first}",
    )
    compare_weights(weights, maps, n_layers)


def compare_weights(weights, maps, n_layers):
    """One tensor of weights a layer, in the order of the layers."""
    if torch.is_tensor(weights) and weights.ndim == 4:
        cause = "the weights of one layer only: collect those of every layer in a list"
    elif isinstance(weights, (list, tuple)) and len(weights) == 1:
        cause = "the weights of the last layer only: append those of every layer"
    else:
        cause = "a list with one tensor of weights for each layer"
    expect.true(
        isinstance(weights, (list, tuple)) and len(weights) == n_layers,
        expected=f"weights: a list of {n_layers} tensors",
        got=f"{type(weights).__name__} of {len(weights) if weights is not None else 0}",
        otherwise=cause,
        read="the docstring of 3.6",
    )
    for number, (got, want) in enumerate(zip(weights, maps, strict=True)):
        expect.close(
            got,
            want,
            atol=1e-3,
            causes={"the same layer's weights stand there for all": maps[-1]},
            otherwise="in the order of the layers",
            read="the docstring of 3.6",
            what=f"the weights of layer {number}",
        )


@exercise("3.6", weight=2)
def test_post_norm(student, rng):
    """Three layers one after the other, no norm behind the last."""
    module, state = build(student, rng)
    compare(module, normal(rng, 2, 4, 8), state)


@exercise("3.6", weight=2)
def test_pre_norm(student, rng):
    """With `norm_first`, a last norm follows the layers."""
    module, state = build(student, rng, norm_first=True)
    compare(module, normal(rng, 2, 4, 8), state, None, True)


@exercise("3.6")
def test_own_parameters(student, rng):
    """Every layer has parameters of its own, and as many layers as asked for are made."""
    for n_layers in (1, 4):
        module, state = build(student, rng, n_layers=n_layers)
        compare(module, normal(rng, 1, 3, 8), state, n_layers=n_layers)


@exercise("3.6")
def test_mask(student, rng):
    """The mask reaches every layer."""
    module, state = build(student, rng)
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    mask[1, ..., 2:] = False
    compare(module, normal(rng, 2, 5, 8), state, mask)


@exercise("3.6")
def test_weights_only_when_asked_for(student, rng):
    """(output, None) when nobody asks for weights."""
    module, _ = build(student, rng)
    _, weights = expect.parts(module(normal(rng, 1, 3, 8)), 2)
    expect.true(
        weights is None,
        expected="None instead of weights",
        got=type(weights).__name__,
        otherwise="a list of None is not None: `weights if need_weights else None`",
        read="the docstring of 3.6",
    )


@exercise("3.6")
def test_dropout(student, rng):
    """The dropout rate reaches the layers: at a rate of 1, pre-norm leaves norm(x) in training."""
    module, state = build(student, rng, dropout=1.0, norm_first=True)
    x = normal(rng, 2, 4, 8)
    module.train()
    gain, bias = state["norm.weight"], state["norm.bias"]
    expect.close(
        expect.parts(module(x), 2)[0],
        torch.native_layer_norm(x, (8,), gain, bias, 1e-6)[0],
        atol=1e-4,
        otherwise="pass `dropout` on to every layer",
        read="§5.4",
        what="the pre-norm output in training mode, dropout = 1",
    )

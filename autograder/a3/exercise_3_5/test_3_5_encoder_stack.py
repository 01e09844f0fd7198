"""Hidden tests of exercise 3.5: the stack of encoder layers."""

import torch

from autograder.a3.answers import (
    answered,
    named_parts,
    no_weights_unasked,
    normal,
    only_one_rate,
)
from autograder.a3.encoder_reference import draw, encoder, encoder_shapes, norm
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.1, Encoder"
SIZES = (3, 8, 2, 12)  # n_layers, d_model, n_heads, d_ff


def build(student, rng, dropout=0.1, norm_first=False, n_layers=3):
    module = student.Encoder(n_layers, *SIZES[1:], dropout, norm_first)
    shapes = encoder_shapes(n_layers, 8, 12, norm_first)
    last = {name: shape for name, shape in shapes.items() if name.startswith("norm.")}
    named_parts(
        module,
        shapes,
        "`layers`, an nn.ModuleList of n_layers layers",
        "the docstring of `Encoder`",
    )
    expect.equal(
        len(module.parameters()),
        len(shapes),
        otherwise="some layers share parameters: create every part of each layer separately",
        read='§3.1: "a stack of N = 6 identical layers"; their parameters are their own',
        what=f"the number of parameters of {n_layers} layers",
    )
    state = draw(rng, shapes)
    module.load_state_dict(state)
    module.eval()
    return module, state


def compare(module, x, state, mask=None, norm_first=False, n_layers=3):
    call = answered(
        lambda: module(x, mask, need_weights=True),
        "pass x from layer to layer: a layer returns (x, weights)",
        READ,
    )
    output, weights = expect.parts(call, 2, otherwise="return (output, weights)", read=READ)
    wanted, maps = encoder(x, state, SIZES[2], mask, norm_first)
    order = list(range(n_layers))

    def causes():
        found = {
            "the layers run in reverse order": encoder(
                x, state, SIZES[2], mask, norm_first, own=order[::-1]
            )[0],
            MISTAKE.stack_every_layer_reads_the_input: encoder(
                x, state, SIZES[2], mask, norm_first, own=order[-1:]
            )[0],
            "only the first layer runs": encoder(x, state, SIZES[2], mask, norm_first, own=[0])[0],
            "`norm_first` does not reach the layers": encoder(
                x, state, SIZES[2], mask, False, last_norm=norm_first
            )[0],
            MISTAKE.layer_mask_not_passed_on: encoder(x, state, SIZES[2], None, norm_first)[0],
        }
        if norm_first:
            found["the last norm is missing: it follows the last layer"] = encoder(
                x, state, SIZES[2], mask, True, last_norm=False
            )[0]
        if mask is None:
            del found[MISTAKE.layer_mask_not_passed_on]
        return found

    expect.close(
        output,
        wanted,
        atol=1e-3,
        rtol=1e-4,
        otherwise="the output of one layer is the input of the next",
        read=READ,
        what=f"the output with norm_first={norm_first}",
    )
    compare_weights(weights, maps, n_layers)


def compare_weights(weights, maps, n_layers):
    """Check for one tensor of weights per layer, in the order of the layers."""
    several = isinstance(weights, (list, tuple))
    one = weights[0] if several and len(weights) == 1 else weights
    alone = next((which for which, own in enumerate(maps) if _alike(one, own)), None)
    where = "last layer" if alone == n_layers - 1 else f"layer {alone}"
    expect.true(
        several and len(weights) == n_layers,
        expected=f"weights: a list of {n_layers} tensors",
        got=f"{type(weights).__name__} of {len(weights) if weights is not None else 0}",
        because=""
        if alone is None
        else MISTAKE.saying(f"the weights of the {where} only: append every layer's"),
        otherwise="a list with one tensor of weights for each layer",
        read="the docstring of `Encoder`",
    )
    for number, (got, want) in enumerate(zip(weights, maps, strict=True)):
        expect.shape(got, tuple(want.shape), what=f"the weights of layer {number}")
    expect.close(
        torch.stack(list(weights)),
        torch.stack(maps),
        atol=1e-3,
        otherwise="in the order of the layers",
        read="the docstring of `Encoder`",
        what="the weights of all layers",
    )


def _alike(got, want):
    return (
        torch.is_tensor(got)
        and got.shape == want.shape
        and bool(torch.allclose(got, want, atol=1e-3))
    )


@exercise("3.5", weight=2, after=["EncoderLayer"])
def test_post_norm(student, rng):
    """Three layers in sequence, with no norm after the last."""
    module, state = build(student, rng)
    compare(module, normal(rng, 2, 4, 8), state)


@exercise("3.5", weight=2, after=["EncoderLayer"])
def test_pre_norm(student, rng):
    """With `norm_first`, a last norm follows the layers."""
    module, state = build(student, rng, norm_first=True)
    compare(module, normal(rng, 2, 4, 8), state, None, True)


@exercise("3.5", after=["EncoderLayer"])
def test_own_parameters(student, rng):
    """Every layer has its own parameters, and there are `n_layers` of them."""
    for n_layers in (1, 4):
        module, state = build(student, rng, n_layers=n_layers)
        compare(module, normal(rng, 1, 3, 8), state, n_layers=n_layers)


@exercise("3.5", after=["EncoderLayer"])
def test_mask(student, rng):
    """The mask reaches every layer."""
    module, state = build(student, rng)
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    mask[1, ..., 2:] = False
    compare(module, normal(rng, 2, 5, 8), state, mask)


@exercise("3.5", after=["EncoderLayer"])
def test_weights_only_when_asked_for(student, rng):
    """Without `need_weights` the result is (output, None)."""
    module, _ = build(student, rng)
    no_weights_unasked(module, normal(rng, 1, 3, 8), "the docstring of `Encoder`")


@exercise("3.5", after=["EncoderLayer"])
def test_dropout(student, rng):
    """The dropout rate reaches the layers: at a rate of 1, training leaves norm(x) in pre-norm."""
    module, state = build(student, rng, dropout=1.0, norm_first=True)
    x = normal(rng, 2, 4, 8)
    module.train()
    only_one_rate(student, module, "every layer", x)
    expect.close(
        expect.parts(module(x), 2)[0],
        norm(x, state, ""),
        atol=1e-4,
        otherwise="at a rate of 1 every sub-layer's output is dropped: norm(x) remains",
        read="§5.4",
        what="the pre-norm output in training mode, dropout = 1",
    )

"""Hidden tests of exercise 4.3: the stack, made of the student's own layers.

A mistake in the layer is found in `test_4_3_decoder_layer.py`, and costs nothing here.
"""

import functools

import torch

from autograder.a3.answers import answered, named_parts, normal
from autograder.a3.encoder_reference import draw
from autograder.a4.answers import unmoved
from autograder.a4.decoder_reference import (
    HEADS,
    causal,
    decoder,
    decoder_shapes,
    real,
    under,
)
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.checking.shown import describe

MISTAKE = known_mistakes(__file__)

READ = "§3.1, Decoder"
DOCSTRING = "the docstring of `Decoder`"
SIZES = (8, HEADS, 12)  # d_model, n_heads, d_ff
WAY = "each layer's output is the next layer's x; memory and masks are the same for all layers"


def build(student, rng, dropout=0.1, norm_first=False, n_layers=3):
    module = student.Decoder(n_layers, *SIZES, dropout, norm_first)
    shapes = decoder_shapes(n_layers, 8, 12, norm_first)
    found = set(module.state_dict())
    own = sorted(name for name in found if not name.startswith("layers."))
    cause = ""
    if norm_first and found and not own:
        cause = MISTAKE.decoder_last_norm_missing
    elif not norm_first and "norm.weight" in found:
        cause = MISTAKE.decoder_last_norm_always
    expect.true(
        not cause,
        expected=f"a last norm, `norm`, {'in' if norm_first else 'but not in post-norm, only in'} "
        "pre-norm",
        got=f"besides the layers {', '.join(own) or 'nothing'} with norm_first={norm_first}",
        because=cause,
        read=DOCSTRING,
    )
    named_parts(module, shapes, "`layers`, an nn.ModuleList of n_layers layers", DOCSTRING)
    trained = module.parameters()
    expect.true(
        len(trained) == len(shapes),
        expected=f"{len(shapes)} parameters in {n_layers} layers",
        got=f"{len(trained)}",
        otherwise="create each layer separately",
        read='§3.1: "a stack of N = 6 identical layers"; their parameters are their own',
    )
    state = draw(rng, shapes)
    module.load_state_dict(state)
    module.eval()
    stack = functools.partial(decoder, state=state, run=own_layers(student, state))
    return module, state, stack


def own_layers(student, state):
    """The student's own layers, outside of the stack, with the parameters of those in it."""

    @functools.cache
    def made(number, norm_first):
        layer = student.DecoderLayer(*SIZES, 0.1, norm_first)
        layer.load_state_dict(under(state, f"layers.{number}."))
        layer.eval()
        return layer

    def run(number, x, memory, target_mask, source_mask, norm_first):
        layer = made(number, norm_first)
        return ask(layer, x, memory, target_mask, source_mask, need_weights=True)

    return run


def mistakes(x, memory, stack, target_mask, source_mask, norm_first, n_layers):
    masks = {"target_mask": target_mask, "source_mask": source_mask}
    made = functools.partial(stack, x, memory, norm_first=norm_first, **masks)
    order = list(range(n_layers))
    with_masks = functools.partial(made, **dict.fromkeys(masks))
    causes = {
        "the layers run in reverse order": made(own=order[::-1]),
        MISTAKE.decoder_every_layer_reads_the_input: made(reads=x),
        "only the first layer runs": made(own=[0]),
    }
    if x.shape == memory.shape:
        causes[MISTAKE.decoder_memory_handed_on] = made(hands_on_memory=True)
    if norm_first:
        causes["`norm_first` does not reach the layers"] = made(norm_first=False, last_norm=True)
        causes[MISTAKE.decoder_last_norm_not_used] = made(last_norm=False)
    if target_mask is not None:
        causes[MISTAKE.decoder_target_mask_not_passed_on] = with_masks(source_mask=source_mask)
    if source_mask is not None:
        causes[MISTAKE.decoder_source_mask_not_passed_on] = with_masks(target_mask=target_mask)
        if target_mask is not None and x.shape == memory.shape:
            causes[MISTAKE.decoder_masks_exchanged] = made(
                target_mask=source_mask, source_mask=target_mask
            )
    return {name: found[0] for name, found in causes.items()}


def ask(module, *inputs, **options):
    call = answered(
        lambda: module(*inputs, **options), f"{WAY}; a layer returns (x, weights)", READ
    )
    return expect.parts(call, 2, otherwise="return (output, weights)", read=DOCSTRING)


def compare(
    module, x, memory, stack, target_mask=None, source_mask=None, norm_first=False, n_layers=3
):
    output, weights = ask(module, x, memory, target_mask, source_mask, need_weights=True)
    masks = {"target_mask": target_mask, "source_mask": source_mask}
    wanted, maps = stack(x, memory, norm_first=norm_first, **masks)
    expect.close(
        output,
        wanted,
        atol=1e-3,
        rtol=1e-4,
        otherwise=WAY,
        read=READ,
        what=f"the output with norm_first={norm_first}",
    )
    compare_weights(weights, maps, n_layers)


def compare_weights(weights, maps, n_layers):
    """Check for one tensor of weights per layer, in the order of the layers."""
    alone = weights[0] if isinstance(weights, (list, tuple)) and len(weights) == 1 else weights
    cause = ""
    if n_layers > 1 and torch.is_tensor(alone) and alone.shape == maps[-1].shape:
        last = bool((alone - maps[-1]).abs().max() < 1e-3)
        which = "the last" if last else "one"
        cause = MISTAKE.saying(
            f"the weights of {which} layer only: append those of every layer to a list"
        )
    expect.true(
        isinstance(weights, (list, tuple)) and len(weights) == n_layers,
        expected=f"weights: a list of {n_layers} tensors",
        got=describe(weights),
        because=cause,
        otherwise="a list with one tensor of weights for each layer",
        read=DOCSTRING,
    )
    for number, (got, want) in enumerate(zip(weights, maps, strict=True)):
        expect.close(
            got,
            want,
            atol=1e-3,
            otherwise="in the order of the layers",
            read=DOCSTRING,
            what=f"the weights of layer {number}",
        )


@exercise("4.3", weight=2, after=["DecoderLayer"])
def test_post_norm(student, rng):
    """Three layers in sequence, with no norm after the last."""
    module, _, stack = build(student, rng)
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 4, 8)
    compare(module, x, memory, stack)
    expect.unchanged(student.call(module, x, memory).changed)


@exercise("4.3", weight=2, after=["DecoderLayer"])
def test_pre_norm(student, rng):
    """With `norm_first`, a last norm follows the layers."""
    module, _, stack = build(student, rng, norm_first=True)
    compare(module, normal(rng, 2, 4, 8), normal(rng, 2, 4, 8), stack, norm_first=True)


@exercise("4.3", after=["DecoderLayer"])
def test_own_parameters(student, rng):
    """Every layer has its own parameters, and there are `n_layers` of them."""
    for n_layers in (1, 4):
        module, _, stack = build(student, rng, n_layers=n_layers)
        x, memory = normal(rng, 1, 3, 8), normal(rng, 1, 5, 8)
        compare(module, x, memory, stack, n_layers=n_layers)


@exercise("4.3", weight=2, after=["DecoderLayer"])
def test_masks(student, rng):
    """Both masks reach every layer, each for its own attention."""
    source = real(torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]]))
    for norm_first in (False, True):
        module, _, stack = build(student, rng, norm_first=norm_first)
        for n_target in (5, 3):
            x, memory = normal(rng, 2, n_target, 8), normal(rng, 2, 5, 8)
            compare(module, x, memory, stack, causal(n_target), source, norm_first)


@exercise("4.3", after=["DecoderLayer"])
def test_weights_only_when_asked_for(student, rng):
    """(output, None) without need_weights."""
    module, _, _ = build(student, rng)
    _, weights = ask(module, normal(rng, 1, 3, 8), normal(rng, 1, 4, 8))
    expect.true(
        weights is None,
        expected="None instead of weights",
        got=describe(weights),
        because="a list of None is not None: `weights if need_weights else None`"
        if isinstance(weights, (list, tuple)) and not any(one is not None for one in weights)
        else "",
        otherwise="return None unless `need_weights`",
        read=DOCSTRING,
    )


@exercise("4.3", after=["DecoderLayer"])
def test_dropout(student, rng):
    """The dropout rate reaches the layers: at a rate of 1, training leaves norm(x) in pre-norm."""
    module, state, _ = build(student, rng, dropout=1.0, norm_first=True)
    x = normal(rng, 2, 4, 8)
    module.train()
    gain, bias = state["norm.weight"], state["norm.bias"]
    unmoved(
        ask(module, x, normal(rng, 2, 3, 8))[0],
        torch.native_layer_norm(x, (8,), gain, bias, 1e-6)[0],
        1e-3,
        because="some layer drops too little at a rate of 1: pass `dropout` on to every layer",
        read="§5.4",
        what="norm(x), the output in training mode, pre-norm, dropout = 1",
    )

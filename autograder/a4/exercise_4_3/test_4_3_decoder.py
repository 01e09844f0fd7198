"""Hidden tests of exercise 4.3: one decoder layer and a stack of them, with given weights."""

from functools import partial

import torch

from autograder.a2.by_default import by_default
from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

of_layer = partial(question, "4.3", read="§3.1, Decoder; §3.2.3")
WAY = "self-attention with `target_mask`, attention to the memory with `source_mask`, feed-forward"
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
SOURCE, TARGET = (
    (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, None]
    for n, lengths in ((4, [4, 2]), (5, [4, 5]))
)
MASKS = {
    "no masks": (),
    "both masks": (CAUSAL, SOURCE),
    "a target mask": (CAUSAL,),
    "a source mask": (None, SOURCE),
    "padded targets": (CAUSAL & TARGET, SOURCE),
}
of_stack = partial(question, "4.3", builds_on=["DecoderLayer"], read="§3.1, Decoder; exercise 4.3")
IN_SEQUENCE = "x goes from layer to layer; memory and masks are the same for all of them"


def build_layer(its, rng, norm_first=False, dropout=0.1):
    return load(its.DecoderLayer(8, 2, 12, dropout, norm_first), rng)


def asked(module, rng):
    """The output and the weights of a layer or a stack, with all kinds of masks."""
    x, memory = normal(rng, 2, 5, 8), normal(rng, 2, 4, 8)
    found = {}
    for name, masks in MASKS.items():
        output, weights = module(x, memory, *masks, need_weights=True)
        found |= {f"the output, {name}": output, f"the weights, {name}": weights}
    return found


@of_layer(weight=3, advice=f"{WAY}; each in its residual connection")
def test_post_norm(its, rng):
    """Self-attention, attention to the memory, feed-forward; each added, then normalized."""
    return asked(build_layer(its, rng), rng)


@of_layer(weight=3, advice=f"{WAY}; each in its residual connection")
def test_pre_norm(its, rng):
    """With `norm_first`, all three sub-layers get the normalized input; the memory is as given."""
    return asked(build_layer(its, rng, norm_first=True), rng)


@of_layer(weight=3, advice="pass `dropout` on to every part that drops", read="§5.4")
def test_dropout(its, rng):
    """The dropout rate reaches both attentions and all residual connections, in training only."""
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 3, 8)
    module = build_layer(its, rng, dropout=1.0, norm_first=True)
    output, weights = module(x, memory)
    found = {"in evaluation mode": output, "weights, not asked for": weights}
    module.train()
    found["in training mode, pre-norm, dropout = 1"] = module(x, memory)[0]
    for name in ("self_attention", "cross_attention"):
        inner = module.get(name)
        inner.train()
        found[f"`{name}` alone, in training mode"] = inner(x, memory, memory)[0]
    return found


@of_layer(weight=3, advice="`.detach()` or `no_grad` may cut the graph")
def test_gradients(its, rng):
    """The gradients of x, the memory and every parameter are those of the formula."""
    given = build_layer(its, rng), normal(rng, 2, 5, 8), normal(rng, 2, 4, 8), CAUSAL
    got = its.vjp(*given, cotangent=normal(rng, 2, 5, 8), parameters=True)
    inputs = {"gradient of x": got.arguments[0], "gradient of the memory": got.arguments[1]}
    return inputs | {f"gradient of {name}": value for name, value in got.parameters.items()}


def build_stack(its, rng, norm_first=False, n_layers=3, dropout=0.1):
    return load(its.Decoder(n_layers, 8, 2, 12, dropout, norm_first), rng)


@of_stack(weight=3, advice=IN_SEQUENCE)
def test_stack_post_norm(its, rng):
    """Three layers in sequence, each with both masks, with no norm after the last."""
    return asked(build_stack(its, rng), rng)


@of_stack(weight=4, advice=IN_SEQUENCE)
def test_stack_pre_norm(its, rng):
    """With `norm_first`, a last norm follows the layers."""
    return asked(build_stack(its, rng, norm_first=True), rng)


@of_stack(weight=3, advice="create each layer separately; pass `dropout` on to every layer")
def test_own_parameters(its, rng):
    """Every layer has its own parameters, there are `n_layers` of them, and all drop."""
    found, x, memory = {}, normal(rng, 2, 5, 8), normal(rng, 2, 4, 8)
    for n in (1, 4):
        module = build_stack(its, rng, norm_first=True, n_layers=n, dropout=1.0)
        output, weights = module(x, memory, *MASKS["both masks"])
        found |= {f"the output of {n} layers": output, "weights, not asked for": weights}
        found[f"the number of parameters of {n} layers"] = len(module.parameters())
        module.train()
        found[f"the output of {n} layers in training mode, dropout = 1"] = module(x, memory)[0]
    sizes, wide = {"d_model": 8, "d_ff": 4}, (normal(rng, 1, 2, 512), normal(rng, 1, 3, 512))
    found |= by_default(its, "DecoderLayer", *wide)
    return found | by_default(its, "Decoder", *wide, **sizes)

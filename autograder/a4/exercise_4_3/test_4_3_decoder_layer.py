"""Hidden tests of exercise 4.3: one decoder layer, with given weights."""

from functools import partial

import torch

from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

ask = partial(question, "4.3", read="§3.1, Decoder; §3.2.3")
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


def build(its, rng, norm_first=False, dropout=0.1):
    return load(its.DecoderLayer(8, 2, 12, dropout, norm_first), rng)


def asked(module, rng):
    """The output and the weights of a layer or a stack, with all kinds of masks."""
    x, memory = normal(rng, 2, 5, 8), normal(rng, 2, 4, 8)
    found = {}
    for name, masks in MASKS.items():
        output, weights = module(x, memory, *masks, need_weights=True)
        found |= {f"the output, {name}": output, f"the weights, {name}": weights}
    return found


@ask(weight=3, advice=f"{WAY}; each in its residual connection")
def test_post_norm(its, rng):
    """Self-attention, attention to the memory, feed-forward; each added, then normalized."""
    return asked(build(its, rng), rng)


@ask(weight=3, advice=f"{WAY}; each in its residual connection")
def test_pre_norm(its, rng):
    """With `norm_first`, all three sub-layers get the normalized input; the memory is as given."""
    return asked(build(its, rng, norm_first=True), rng)


@ask(weight=3, advice="pass `dropout` on to every part that drops", read="§5.4")
def test_dropout(its, rng):
    """The dropout rate reaches both attentions and all residual connections, in training only."""
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 3, 8)
    module = build(its, rng, dropout=1.0, norm_first=True)
    output, weights = module(x, memory)
    found = {"in evaluation mode": output, "weights, not asked for": weights}
    module.train()
    found["in training mode, pre-norm, dropout = 1"] = module(x, memory)[0]
    for name in ("self_attention", "cross_attention"):
        inner = module.get(name)
        inner.train()
        found[f"`{name}` alone, in training mode"] = inner(x, memory, memory)[0]
    return found


@ask(weight=3, advice="`.detach()` or `no_grad` may cut the graph")
def test_gradients(its, rng):
    """The gradients of x, the memory and every parameter are those of the formula."""
    given = build(its, rng), normal(rng, 2, 5, 8), normal(rng, 2, 4, 8), CAUSAL
    got = its.vjp(*given, cotangent=normal(rng, 2, 5, 8), parameters=True)
    inputs = {"gradient of x": got.arguments[0], "gradient of the memory": got.arguments[1]}
    return inputs | {f"gradient of {name}": value for name, value in got.parameters.items()}

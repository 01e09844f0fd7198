"""Hidden tests of exercise 4.3: one decoder layer, with given weights."""

import torch

from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

READ = "§3.1, Decoder; §3.2.3"
WAY = "self-attention, attention to the memory, feed-forward: each in its residual connection"
MASKS = "`target_mask` belongs to the self-attention, `source_mask` to the attention to the memory"


def build(its, rng, norm_first=False, dropout=0.1):
    return load(its.DecoderLayer(8, 2, 12, dropout, norm_first), rng)


def both(made):
    return dict(zip(("the output", "the weights"), made, strict=True))


def causal(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding(lengths, n):
    return (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, None]


@question("4.3", weight=2, advice=WAY, read=READ)
def test_post_norm(its, rng):
    """Self-attention, attention to the memory, feed-forward; each added, then normalized."""
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 4, 8)
    call = its.call(build(its, rng), x, memory, need_weights=True)
    return both(call.value) | {"arguments that it changed": call.changed}


@question("4.3", weight=2, advice=WAY, read=READ)
def test_pre_norm(its, rng):
    """With `norm_first`, all three sub-layers get the normalized input; the memory is as given."""
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 4, 8)
    return both(build(its, rng, norm_first=True)(x, memory, need_weights=True))


@question("4.3", weight=3, advice=MASKS, read=READ)
def test_masks(its, rng):
    """The target mask reaches the self-attention, the source mask the attention to the memory."""
    x, memory, source = normal(rng, 2, 5, 8), normal(rng, 2, 5, 8), padding([5, 3], 5)
    masks = {"both masks": (causal(5), source), "a target mask": (causal(5),)}
    masks |= {"padded targets": (causal(5) & padding([4, 5], 5), source)}
    masks |= {"a source mask": (None, source)}
    return {
        f"{part}, {name}, norm_first={norm_first}": value
        for norm_first in (False, True)
        for module in [build(its, rng, norm_first)]
        for name, given in masks.items()
        for part, value in both(module(x, memory, *given, need_weights=True)).items()
    }


@question("4.3", weight=2, advice=MASKS, read=READ)
def test_source_of_another_length(its, rng):
    """Source and target may have different lengths, including a length of 1."""
    module, found = build(its, rng), {}
    for n, lengths in ((3, [6, 4]), (6, [2, 3]), (1, [1, 1])):
        masks = causal(n), padding(lengths, max(lengths))
        x, memory = normal(rng, 2, n, 8), normal(rng, 2, max(lengths), 8)
        made = both(module(x, memory, *masks, need_weights=True))
        found |= {f"{part} for {n} targets": value for part, value in made.items()}
    return found


@question("4.3", advice="pass `dropout` on to every part that drops", read="§5.4")
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


@question("4.3", weight=3, advice="`.detach()` or `no_grad` may cut the graph", read=READ)
def test_gradients(its, rng):
    """The gradients of x, the memory and every parameter are those of the formula."""
    module, x, memory = build(its, rng), normal(rng, 2, 3, 8), normal(rng, 2, 4, 8)
    cotangent = normal(rng, 2, 3, 8)
    got = its.vjp(module, x, memory, causal(3), cotangent=cotangent, parameters=True)
    inputs = {"gradient of x": got.arguments[0], "gradient of the memory": got.arguments[1]}
    return inputs | {f"gradient of {name}": value for name, value in got.parameters.items()}

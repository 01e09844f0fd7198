"""Hidden tests of exercise 4.3: the stack of decoder layers."""

import torch

from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

READ = "§3.1, Decoder; exercise 4.3"
WAY = "x goes from layer to layer; memory and masks are the same for all of them"
AFTER = ["DecoderLayer"]
CAUSAL = torch.ones(3, 3, dtype=torch.bool).tril()
SOURCE = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], dtype=torch.bool)[:, None, None]


def build(its, rng, norm_first=False, n_layers=3, dropout=0.1):
    return load(its.Decoder(n_layers, 8, 2, 12, dropout, norm_first), rng)


@question("4.3", weight=2, after=AFTER, advice=WAY, read=READ)
def test_post_norm(its, rng):
    """Three layers in sequence, with no norm after the last."""
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 4, 8)
    call = its.call(build(its, rng), x, memory, need_weights=True)
    output, weights = call.value
    return {"the output": output, "the weights of each layer": weights, "changed": call.changed}


@question("4.3", weight=3, after=AFTER, advice=WAY, read=READ)
def test_pre_norm(its, rng):
    """With `norm_first`, a last norm follows the layers."""
    x, memory = normal(rng, 2, 4, 8), normal(rng, 2, 4, 8)
    output, weights = build(its, rng, norm_first=True)(x, memory, need_weights=True)
    return {"the output": output, "the weights of each layer": weights}


@question("4.3", after=AFTER, advice="create each layer separately", read=READ)
def test_own_parameters(its, rng):
    """Every layer has its own parameters, and there are `n_layers` of them."""
    found, x, memory = {}, normal(rng, 2, 3, 8), normal(rng, 2, 5, 8)
    for n in (1, 4):
        module = build(its, rng, n_layers=n)
        output, weights = module(x, memory, CAUSAL, SOURCE)
        found |= {f"the output of {n} layers": output, "weights, not asked for": weights}
        found[f"the number of parameters of {n} layers"] = len(module.parameters())
    return found


@question("4.3", weight=6, after=AFTER, advice=WAY, read=READ)
def test_masks(its, rng):
    """Both masks reach every layer, each for its own attention."""
    found, x, memory = {}, normal(rng, 2, 3, 8), normal(rng, 2, 5, 8)
    for norm_first in (False, True):
        module = build(its, rng, norm_first)
        output, weights = module(x, memory, CAUSAL, SOURCE, need_weights=True)
        found |= {f"the output, norm_first={norm_first}": output, f"weights, {norm_first}": weights}
    return found


@question("4.3", after=AFTER, advice="pass `dropout` on to every layer", read="§5.4")
def test_dropout(its, rng):
    """The dropout rate reaches the layers: at a rate of 1, training leaves norm(x) in pre-norm."""
    module = build(its, rng, dropout=1.0, norm_first=True)
    module.train()
    return module(normal(rng, 2, 4, 8), normal(rng, 2, 3, 8))[0]

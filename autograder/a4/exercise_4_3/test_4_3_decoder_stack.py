"""Hidden tests of exercise 4.3: the stack of decoder layers."""

from functools import partial

from autograder.a2.by_default import by_default
from autograder.a4.drawn_weights import load, normal
from autograder.a4.exercise_4_3.test_4_3_decoder_layer import MASKS, asked
from grader.checking.question import question

ask = partial(question, "4.3", builds_on=["DecoderLayer"], read="§3.1, Decoder; exercise 4.3")
WAY = "x goes from layer to layer; memory and masks are the same for all of them"


def build(its, rng, norm_first=False, n_layers=3, dropout=0.1):
    return load(its.Decoder(n_layers, 8, 2, 12, dropout, norm_first), rng)


@ask(weight=3, advice=WAY)
def test_post_norm(its, rng):
    """Three layers in sequence, each with both masks, with no norm after the last."""
    return asked(build(its, rng), rng)


@ask(weight=4, advice=WAY)
def test_pre_norm(its, rng):
    """With `norm_first`, a last norm follows the layers."""
    return asked(build(its, rng, norm_first=True), rng)


@ask(weight=3, advice="create each layer separately; pass `dropout` on to every layer")
def test_own_parameters(its, rng):
    """Every layer has its own parameters, there are `n_layers` of them, and all drop."""
    found, x, memory = {}, normal(rng, 2, 5, 8), normal(rng, 2, 4, 8)
    for n in (1, 4):
        module = build(its, rng, norm_first=True, n_layers=n, dropout=1.0)
        output, weights = module(x, memory, *MASKS["both masks"])
        found |= {f"the output of {n} layers": output, "weights, not asked for": weights}
        found[f"the number of parameters of {n} layers"] = len(module.parameters())
        module.train()
        found[f"the output of {n} layers in training mode, dropout = 1"] = module(x, memory)[0]
    sizes, wide = {"d_model": 8, "d_ff": 4}, (normal(rng, 1, 2, 512), normal(rng, 1, 3, 512))
    found |= by_default(its, "DecoderLayer", *wide)
    return found | by_default(its, "Decoder", *wide, **sizes)

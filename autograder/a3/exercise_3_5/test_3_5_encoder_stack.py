"""Hidden tests of exercise 3.5: the stack of encoder layers."""

from autograder.a3.exercise_3_5.test_3_5_encoder_layer import ask
from autograder.a3.tensors import filled, is_none, normal, parts
from grader.checking.question import question

READ = "§3.1, Encoder"
NEXT = "the output of one layer is the input of the next"
OWN = "`layers`, an nn.ModuleList of n_layers layers; create every part of each separately"
AFTER = ["EncoderLayer"]


def build(its, rng, dropout=0.1, norm_first=False, n_layers=3):
    return filled(its.Encoder(n_layers, 8, 2, 12, dropout, norm_first), rng)


@question("3.5", weight=2, after=AFTER, advice=NEXT, read=READ)
def test_post_norm(its, rng):
    """Three layers in sequence, with no norm after the last."""
    return ask(its, build(its, rng), rng)


@question("3.5", weight=2, after=AFTER, advice=NEXT, read=READ)
def test_pre_norm(its, rng):
    """With `norm_first`, a last norm follows the layers."""
    return ask(its, build(its, rng, norm_first=True), rng)


@question("3.5", after=AFTER, advice=OWN, read='§3.1: "a stack of N = 6 identical layers"')
def test_own_parameters(its):
    """Every layer has its own parameters, and there are `n_layers` of them."""
    found = {}
    for n_layers, norm_first in ((1, False), (4, True)):
        module = its.Encoder(n_layers, 8, 2, 12, norm_first=norm_first)
        of = f", {n_layers} layers, norm_first={norm_first}"
        found |= {name + of: shape for name, shape in parts(module).items()}
        found["the number of parameters" + of] = len(module.parameters())
    return found


@question("3.5", after=AFTER, advice="a new list for each call, or None", read="its docstring")
def test_weights_only_when_asked_for(its, rng):
    """Without `need_weights` the result is (output, None), with it a list of one per layer."""
    module, x = build(its, rng), normal(rng, 1, 3, 8)
    weights = module(x, need_weights=True)[1]
    return is_none(lambda **options: module(x, **options)) | {
        "the weights are a list": isinstance(weights, (list, tuple)),
        "the number of weights in a later call": len(module(x, need_weights=True)[1]),
    }


@question("3.5", after=AFTER, advice="pass `dropout` to every layer", read="§5.4")
def test_dropout(its, rng):
    """The dropout rate reaches the layers: at a rate of 1, training leaves norm(x) in pre-norm."""
    module = build(its, rng, dropout=1.0, norm_first=True)
    module.train()
    return {"the output in training mode, dropout = 1": module(normal(rng, 2, 4, 8))[0]}

"""Hidden tests of exercise 3.4: the position-wise feed-forward network."""

from autograder.a3.tensors import filled, normal
from grader.checking.question import question

READ = "§3.3, Eq. 2"


def build(its, rng):
    return filled(its.FeedForward(4, 7), rng)


@question("3.4", weight=2, advice="w_2(relu(w_1(x)))", read=READ)
def test_values(its, rng):
    """max(0, x W₁ + b₁) W₂ + b₂, with given weights."""
    called = its.call(build(its, rng), 3 * normal(rng, 3, 5, 4))
    return {"the output": called.value, "arguments that it changed": called.changed}


@question("3.4", advice="act on the last axis only, with any leading axes", read=READ)
def test_every_position_alone(its, rng):
    """Positions are independent, and the input may have any leading axes."""
    module = build(its, rng)
    shapes = [(6, 4), (1, 1, 4), (2, 2, 3, 4)]
    return {f"the output for an input of shape {s}": module(normal(rng, *s)) for s in shapes}


@question("3.4", weight=1.5, advice="training and evaluation mode must agree here", read="§5.4")
def test_no_dropout_inside(its, rng):
    """Training and evaluation mode agree: dropout belongs to the residual connection."""
    module = filled(its.FeedForward(4, 64), rng)
    module.train()
    return {"the output in training mode": its.call(module, normal(rng, 8, 4), seed=3).value}


@question("3.4", weight=0.5, advice="keep the parameters and their order", read="§3.3")
def test_defaults(its):
    """The defaults are 512 features and 2048 hidden ones."""
    signature = [[name, default] for name, _, default in its.FeedForward.signature()]
    its.FeedForward(2, 3)
    return {"the parameters": signature[:2]}

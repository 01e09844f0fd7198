"""Hidden tests of exercise 3.4: the position-wise feed-forward network."""

import torch
from torch.nn.functional import linear

from autograder.a3.answers import answered, is_random, named_parts, normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.3, Eq. 2"


def build(student, rng, d_model=4, d_ff=7):
    module = student.FeedForward(d_model, d_ff)
    shapes = {
        "w_1.weight": (d_ff, d_model),
        "w_1.bias": (d_ff,),
        "w_2.weight": (d_model, d_ff),
        "w_2.bias": (d_model,),
    }
    named_parts(
        module,
        shapes,
        "two `nn.Linear`: `w_1` maps to d_ff features, `w_2` maps back, both with a bias",
        "the docstring of 3.4",
    )
    state = {name: normal(rng, *shape) for name, shape in shapes.items()}
    module.load_state_dict(state)
    return module, state


def formula(x, state):
    hidden = linear(x, state["w_1.weight"], state["w_1.bias"]).clamp(min=0)
    return linear(hidden, state["w_2.weight"], state["w_2.bias"])


def mistakes(x, state):
    hidden = linear(x, state["w_1.weight"], state["w_1.bias"])

    def out(h):
        return linear(h, state["w_2.weight"], state["w_2.bias"])

    return {
        MISTAKE.feed_forward_relu_missing: out(hidden),
        MISTAKE.feed_forward_relu_last: out(hidden).relu(),
        "a second ReLU after the second layer": out(hidden.relu()).relu(),
        MISTAKE.feed_forward_gelu: out(torch.nn.functional.gelu(hidden)),
        "the ReLU comes before the first layer": out(
            linear(x.relu(), state["w_1.weight"], state["w_1.bias"])
        ),
        "x is added: leave that to the residual connection": x + out(hidden.relu()),
    }


@exercise("3.4", weight=2)
def test_values(student, rng):
    """max(0, x W₁ + b₁) W₂ + b₂, with given weights."""
    module, state = build(student, rng)
    x = normal(rng, 3, 5, 4)
    called = student.call(module, x)
    expect.close(
        called.value,
        formula(x, state),
        atol=1e-4,
        otherwise="w_2(relu(w_1(x)))",
        read=READ,
    )
    expect.unchanged(called.changed)


@exercise("3.4")
def test_every_position_alone(student, rng):
    """Positions are independent, and the input may have any leading axes."""
    module, state = build(student, rng)
    for shape in [(4,), (6, 4), (2, 2, 3, 4)]:
        x = normal(rng, *shape)
        expect.close(
            answered(
                lambda x=x: module(x), "act on the last axis only, with any leading axes", READ
            ),
            formula(x, state),
            atol=1e-4,
            otherwise="nothing mixes positions: no norm, no attention here",
            read=READ,
            what=f"the output for an input of shape {shape}",
        )


@exercise("3.4")
def test_no_dropout_inside(student, rng):
    """Training and evaluation mode agree: dropout belongs to the residual connection."""
    module, state = build(student, rng, d_ff=64)
    x = normal(rng, 8, 4)
    module.train()
    got = student.call(module, x, seed=3).value
    expect.true(
        not is_random(student, module, x),
        expected="the same output in training mode, whatever the seed",
        got="outputs that differ between seeds",
        read="§5.4, residual dropout",
    )
    expect.close(
        got,
        formula(x, state),
        atol=1e-4,
        otherwise="training and evaluation mode must agree here",
        read="§5.4, residual dropout",
        what="the output in training mode",
    )


@exercise("3.4")
def test_defaults(student):
    """The defaults are 512 features and 2048 hidden ones."""
    signature = [[name, default] for name, _, default in student.FeedForward.signature()]
    student.FeedForward(2, 3)
    expect.equal(
        signature[:2],
        [["d_model", 512], ["d_ff", 2048]],
        otherwise="keep the parameters, their order and the paper's defaults",
        read="§3.3",
        what="the parameters",
    )

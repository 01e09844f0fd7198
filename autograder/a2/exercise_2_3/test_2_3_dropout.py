"""Hidden tests of exercise 2.3: where dropout is applied, and when."""

import torch

from autograder.a2.exercise_2_3.test_2_3_multi_head import PINNED, TOLERANCE, build, draw
from autograder.a2.multi_head_reference import reference
from autograder.a2.tensors import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


def transparent(student, rng):
    """A one-head module and inputs whose output shows the weights in use, twice.

    w_v and w_o are the identity, and the values are [I, I]. Also returns the expected result.
    """
    state = {name: value * 0 for name, value in draw(rng, 16).items()}
    state |= {name: normal(rng, 16, 16) * 0.3 for name in ("w_q.weight", "w_k.weight")}
    state |= {name: torch.eye(16) for name in ("w_v.weight", "w_o.weight")}
    value = torch.cat([torch.eye(8), torch.eye(8)], dim=1)[None]
    inputs = (normal(rng, 1, 8, 16), normal(rng, 1, 8, 16), value)
    module = build(student, state, 16, 1, dropout=0.5)
    return module, inputs, reference(state, 1, inputs)


@exercise("2.3")
def test_no_dropout_in_evaluation(student, rng):
    """In evaluation mode nothing is dropped."""
    module, inputs, (wanted, _) = transparent(student, rng)
    output, _ = expect.parts(module(*inputs), 2)
    expect.close(
        output,
        wanted,
        **TOLERANCE,
        otherwise="with identity projections, the output shows the weights",
        read="§5.4",
        what="the output in evaluation mode",
    )


@exercise("2.3", weight=2)
def test_dropout(student, rng):
    """In training, dropout is applied to the weights in use, but not to the returned weights."""
    module, inputs, (wanted, weights) = transparent(student, rng)
    module.train()
    output, returned = expect.parts(
        student.call(module, *inputs, need_weights=True, seed=5).value, 2
    )
    expect.shape(output, wanted.shape, what="the output")
    twice = torch.cat([output[..., :8], output[..., :8]], -1)
    used = output[..., :8][:, None]
    # With dropout on the scores, rows still sum to one; with dropout on the weights, not.
    even = output.equal(twice) and bool((used.sum(-1) - 1).abs().max() < 1e-3)
    expect.close(
        returned,
        weights,
        **TOLERANCE,
        otherwise="the returned weights are those before dropout",
        read=PINNED,
        what="the returned weights in training mode",
    )
    expect.above(
        float((output - wanted).abs().max()),
        1e-3,
        expected="half of the weights dropped in training mode",
        got="the same output as in evaluation mode",
        read="§5.4",
    )
    dropped = torch.where(output.ne(0), 2 * wanted, 0.0)
    expect.close(
        output,
        twice,
        **TOLERANCE,
        otherwise="a weight is kept or dropped for the whole value: both halves must be equal",
        read="§5.4",
        what="the output in training mode (the values make it show the weights, in each half)",
    )
    expect.close(
        output,
        dropped,
        **TOLERANCE,
        otherwise="apply dropout to the weights, with the rate given to the constructor",
        read="§5.4",
        what="the output in training mode",
    )

"""Hidden tests of exercise 3.9: one training step, with every call logged."""

import torch

from autograder.a3.watched_training import (
    RATE,
    READ,
    Run,
    called_in_order,
    cleared,
    gradient,
    in_training_mode,
    returned,
    stepped,
)
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


def check_weights(run, wanted, before, max_norm, what, causes=None):
    inf = float("inf")
    expect.close(
        run.model.state_dict()["weight"],
        wanted,
        atol=1e-4,
        otherwise="loss, backward, clip, optimizer, schedule, zero_grad: each once",
        read=READ,
        what=what,
    )


@exercise("3.9", weight=2)
def test_one_step(student, rng):
    """The weights after one step, with a max_norm that clips and one that does not."""
    for max_norm in (0.05, 100.0):
        run = Run(student, rng)
        run.step(max_norm=max_norm)
        wanted = stepped(run.weight, max_norm)
        check_weights(run, wanted, run.weight, max_norm, f"the weights with max_norm={max_norm}")


@exercise("3.9")
def test_label_smoothing(student, rng):
    """The loss uses `label_smoothing`, 0.1 by default."""
    for options, smoothing in [({}, 0.1), ({"label_smoothing": 0.3}, 0.3)]:
        run = Run(student, rng)
        result = returned(run.step(**options), "the docstring of 3.9")
        expect.close(
            result["loss"],
            gradient(run.weight, smoothing=smoothing)[0],
            atol=1e-5,
            otherwise="cross_entropy(logits, labels, label_smoothing=…)",
            read="§5.4, label smoothing",
            what=f"the loss with label_smoothing={smoothing}",
        )


@exercise("3.9", weight=2)
def test_two_steps(student, rng):
    """A second step uses only its own gradients and the schedule's next rate."""
    run = Run(student, rng)
    run.step(max_norm=100.0)
    middle = stepped(run.weight, 100.0)
    check_weights(run, middle, run.weight, 100.0, "the weights after the first step")
    run.step(max_norm=100.0)
    (_, first, _), (_, second, _) = gradient(run.weight), gradient(middle)
    expect.close(
        run.model.state_dict()["weight"],
        middle - RATE / 2 * second,
        atol=1e-4,
        otherwise="clear the gradients once per step, but not between backward and the optimizer",
        read=READ,
        what="the weights after the second step",
    )


@exercise("3.9", beside=["test_one_step", "test_two_steps", "test_returned_values"])
def test_nothing_is_left(student, rng):
    """The gradients are cleared at the end of the step, not at the start of the next."""
    run = Run(student, rng)
    run.step(max_norm=100.0)
    left = run.model.get("weight.grad")
    middle = run.model.state_dict()["weight"]
    run.step(max_norm=100.0)
    second = middle - RATE / 2 * gradient(middle)[1]
    unfelt = torch.allclose(run.model.state_dict()["weight"], second, atol=1e-4)
    cleared(left, unfelt, READ)


@exercise("3.9")
def test_order(student, rng):
    """backward, clip, optimizer, schedule, each once; the given functions are used."""
    run = Run(student, rng)
    run.step(**run.watched())
    seen = run.seen()
    called_in_order(seen, READ)


@exercise("3.9")
def test_training_mode(student, rng):
    """The step puts the model into training mode, even after an evaluation."""
    run = Run(student, rng)
    run.model.eval()
    run.step()
    in_training_mode(run.seen(), READ)


@exercise("3.9", weight=2)
def test_returned_values(student, rng):
    """Loss, gradient norm before clipping, this step's rate and the batch's accuracy, as floats."""
    run = Run(student, rng)
    guesses = gradient(run.weight)[2].argmax(-1)
    labels = (guesses + torch.tensor([1, 0, 0, 0])) % 3  # three of four are right
    result = returned(run.step(labels=labels, max_norm=0.05), "the docstring of 3.9")
    loss, found, _ = gradient(run.weight, labels)
    share = 0.75
    expect.close(result["loss"], loss, atol=1e-5, read=READ, what="loss")
    expect.close(
        result["gradient_norm"],
        found.norm(),
        atol=1e-4,
        otherwise="`clip` returns the norm of the gradients before clipping",
        read="the docstring of 3.9",
        what="gradient_norm",
    )
    expect.close(
        result["learning_rate"],
        RATE,
        otherwise='`optimizer.param_groups[0]["lr"]`, before the schedule steps',
        read="the docstring of 3.9",
        what="learning_rate",
    )
    expect.close(
        result["accuracy"],
        share,
        otherwise="the fraction of sentences whose largest logit is that of the label",
        read="the docstring of 3.9",
        what="accuracy",
    )

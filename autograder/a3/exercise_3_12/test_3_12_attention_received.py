"""Hidden tests of exercise 3.12: how much attention each token receives."""

import torch

from autograder.a3.answers import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "exercise 3.12; Appendix, Figures 3-5"


def weights_of(rng, real, n_heads):
    """Attention weights over real keys only; padding queries attend to them, too."""
    batch, n = real.shape
    scores = 2 * normal(rng, batch, n_heads, n, n)
    return scores.masked_fill(~real[:, None, None], -1e9).softmax(-1) * real[:, None, None]


def received(weights, real):
    rows = []
    for sentence, own in zip(weights, real, strict=True):
        asked = sentence[:, own].mean(0)
        rows.append(asked.mean(0) if len(asked) else torch.zeros(len(own)))
    return torch.stack(rows)


def compare(student, weights, real, what):
    called = student.call(student.attention_received, weights, real[:, None, None, :])
    expect.unchanged(called.changed)
    mean, count = weights.mean(1), real.sum(1, keepdim=True).clamp(min=1)
    asked = mean * real[..., None]
    expect.close(
        called.value,
        received(weights, real),
        atol=1e-5,
        otherwise="for each key: the mean over the heads and the real queries of its weight",
        read=READ,
        what=what,
    )
    return called.value


@exercise("3.12")
def test_without_padding(student, rng):
    """The mean over heads and queries of each key's weight."""
    for shape in [(2, 4), (1, 1), (3, 6)]:
        real = torch.ones(shape, dtype=torch.bool)
        compare(
            student, weights_of(rng, real, 3), real, f"attention received, (batch, n) = {shape}"
        )


@exercise("3.12", weight=2)
def test_padding_queries_do_not_count(student, rng):
    """Only real queries count, wherever the padding is; rows sum to 1."""
    real = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 1, 0, 1]]).bool()
    got = compare(student, weights_of(rng, real, 2), real, "attention received, with padding")
    expect.close(got.sum(-1), torch.ones(3), atol=1e-5, what="the sum of each row", read=READ)


@exercise("3.12")
def test_padding_receives_nothing(student, rng):
    """Zeros at the padding, even if the model attends to it."""
    real = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]]).bool()
    weights = (2 * normal(rng, 2, 2, 4, 4)).softmax(-1)
    got = student.attention_received(weights, real[:, None, None, :])
    expect.shape(got, (2, 4), what="attention received", read=READ)
    kept = (weights.mean(1) * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    expect.close(
        got[~real],
        torch.zeros(3),
        otherwise="set what the padding receives to 0",
        read="the docstring of 3.12",
        what="what the padding receives",
    )


@exercise("3.12")
def test_nothing_but_padding(student, rng):
    """A sentence without real tokens gives zeros, never NaN."""
    real = torch.tensor([[0, 0, 0], [1, 1, 0]]).bool()
    compare(
        student,
        weights_of(rng, real, 2),
        real,
        "attention received, one sentence all padding",
    )

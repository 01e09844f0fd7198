"""The visible checks of exercise 2.5: layer normalization."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise("2.5")
def test_mean_and_variance(student):
    """Every position gets mean 0 and variance 1, whatever the other positions contain."""
    x = draw(0, 2, 3, 16) * torch.tensor([1.0, 5.0, 50.0])[:, None] + 7
    y = student.LayerNorm(16)(x)
    expect.shape(y, (2, 3, 16), what="the output", read="exercise 2.5")
    expect.close(
        y.mean(-1), torch.zeros(2, 3), atol=1e-4, what="the mean of each position",
        otherwise="subtract the mean of the last axis, with keepdim=True", read="§3.1")
    expect.close(
        y.var(-1, correction=0), torch.ones(2, 3), atol=1e-3, what="the variance of each position",
        otherwise="divide by the square root of each position's own variance", read="§3.1")


@exercise("2.5")
def test_small_inputs(student):
    """Inputs as small as 0.01 show where ε is added and which variance is used."""
    x = torch.tensor([[0.01, -0.01, 0.01, -0.01], [0.02, 0.0, 0.0, -0.02]])
    biased, unbiased = x.var(-1, correction=0, keepdim=True), x.var(-1, keepdim=True)
    expect.close(
        student.LayerNorm(4, 1e-4)(x), x / torch.sqrt(biased + 1e-4),
        otherwise="(x − mean) / √(variance + ε)", read="exercise 2.5")


@exercise("2.5")
def test_gain_and_bias(student):
    """`weight` multiplies and `bias` is added, feature by feature."""
    layer = student.LayerNorm(2)
    expect.equal(
        sorted(layer.state_dict()), ["bias", "weight"], what="the parameters' names",
        otherwise="two nn.Parameter: weight, of ones, and bias, of zeros", read="exercise 2.5")
    layer.load_state_dict({"weight": torch.tensor([2.0, 3.0]), "bias": torch.tensor([10.0, 20.0])})
    expect.close(
        layer(torch.tensor([[1.0, 3.0]])), [[8.0, 23.0]],
        otherwise="weight · normalized + bias", read="exercise 2.5")


@exercise("2.5")
def test_large_mean(student):
    """The result stays accurate at a mean of 4,096: the variance is the mean of (x − mean)²."""
    steps = torch.tensor([[-3.0, -1.0, 1.0, 3.0]])
    expect.close(
        student.LayerNorm(4)(steps + 4097), steps / math.sqrt(5), atol=1e-4,
        otherwise="subtract the mean first, then average the squares", read="exercise 2.5")

"""The visible checks of exercise 2.5: layer normalization."""

import torch

from grader.checking.question import question

STEPS = torch.tensor([[-3.0, -1.0, 1.0, 3.0]])


@question("2.5", advice="mean and variance of the last axis, with keepdim=True", read="§3.1")
def test_mean_and_variance(its):
    """Every position gets mean 0 and variance 1, whatever the other positions contain."""
    x = STEPS * torch.tensor([1.0, 5.0, 50.0])[:, None] + torch.tensor([[[[7.0]]], [[[-8.0]]]])
    got = its.vjp(its.LayerNorm(4), x, cotangent=(x * x).sin())
    return {"the output": got.value, "the gradient of x": got.arguments[0]}


@question("2.5", advice="(x − mean) / √(variance + ε)", read="exercise 2.5")
def test_small_inputs(its):
    """Inputs as small as 0.01 show where ε is added, its default and which variance is used."""
    x = torch.tensor([[0.01, -0.01, 0.01, -0.01], [0.02, 0, 0, -0.02]])
    return {"eps=1e-4": its.LayerNorm(4, 1e-4)(x), "without `eps`": its.LayerNorm(4)(x)}


@question("2.5", advice="two nn.Parameter, weight and bias: weight · normalized + bias")
def test_gain_and_bias(its):
    """`weight` multiplies and `bias` is added, feature by feature."""
    layer, state = its.LayerNorm(2), {"weight": [2.0, 3.0], "bias": [10.0, 20.0]}
    names = sorted(layer.parameters())
    layer.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    return {"the names": names, "the output": layer(torch.tensor([[1.0, 3.0]]))}


@question("2.5", advice="subtract the mean first, then average the squares", read="exercise 2.5")
def test_large_mean(its):
    """The result stays accurate at a mean of 4,096: the variance is the mean of (x − mean)²."""
    return its.LayerNorm(4)(STEPS + 4097)

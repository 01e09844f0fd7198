"""The visible checks of exercise 3.4: the feed-forward network."""

import torch

from grader.checking.question import question


def build(its):
    """The module with whole numbers from −5 to 5 for parameters, in order."""
    module = its.FeedForward(2, 3)
    state = module.state_dict()
    numbers = {n: torch.arange(v.numel()) * 7 % 11 - 5.0 for n, v in state.items()}
    module.load_state_dict({name: numbers[name].reshape(state[name].shape) for name in state})
    return module


@question("3.4", advice="w_1 maps to d_ff features, w_2 maps back", read="§3.3")
def test_names(its):
    """Two linear layers with the required names; by default of 512 and 2048 features."""
    state = its.FeedForward(4, 6).state_dict()
    defaults = [[name, default] for name, _, default in its.FeedForward.signature()[:2]]
    shapes = sorted(f"{name}: {tuple(value.shape)}" for name, value in state.items())
    return {"the parameters": shapes, "the defaults": defaults}


@question("3.4", weight=2, advice="w_1, then max(0, …), then w_2, no dropout", read="§3.3, Eq. 2")
def test_no_dropout_inside(its):
    """max(0, x W₁ + b₁) W₂ + b₂, also in training mode."""
    return its.call(build(its), torch.arange(60.0).reshape(30, 2) - 30, seed=1).value

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
    """Two linear layers with the pinned names."""
    state = its.FeedForward(4, 6).state_dict()
    return sorted(f"{name}: {tuple(value.shape)}" for name, value in state.items())


@question("3.4", advice="w_1, then max(0, …), then w_2", read="§3.3, Eq. 2")
def test_two_layers_by_hand(its):
    """max(0, x W₁ + b₁) W₂ + b₂, with values written in."""
    module = build(its)
    module.eval()
    return module(torch.tensor([[[1.0, 2.0], [3.0, -1.0]], [[0.0, 0.5], [-2.0, 4.0]]]))


@question("3.4", beside=["test_names", "test_two_layers_by_hand"], read="§5.4")
def test_no_dropout_inside(its):
    """The output in training mode is the same."""
    return its.call(build(its), torch.arange(60.0).reshape(30, 2) - 30, seed=1).value

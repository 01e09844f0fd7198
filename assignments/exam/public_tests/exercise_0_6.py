"""The visible check of exercise 0.6."""

import torch

from grader.checking.question import question


@question("0.6", advice="where is the ReLU?", read="§3.3, Eq. 2")
def test_negative_numbers(its):
    """The output is max(0, x W₁ + b₁) W₂ + b₂, which may be negative."""
    module = its.FeedForward(1, 1)
    state = {"w_1.weight": [[1.0]], "w_1.bias": [0.0], "w_2.weight": [[-2.0]], "w_2.bias": [1.0]}
    module.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    return module(torch.tensor([[3.0], [-3.0]]))

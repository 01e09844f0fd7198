"""The visible checks of exercise 4.13: the mean of the last checkpoints."""

from functools import partial

import torch

from grader.checking.question import question, refusal

ask = partial(question, "4.13", read="exercise 4.13")

STATES = [
    {"w": torch.tensor([[1.0, 2.0]]), "b": torch.tensor([4.0])},
    {"w": torch.tensor([[3.0, 0.0]]), "b": torch.tensor([5.0])},
    {"b": torch.tensor([0.0]), "w": torch.tensor([[8.0, 7.0]])},  # in another order
]


@ask(weight=2, advice="the mean, in a new tensor for each name; compare the names", read="§6.1")
def test_three_states(its):
    """The mean of three states, which do not change; other names raise a ValueError."""
    called, fewer = its.call(its.averaged, STATES), {"w": STATES[0]["w"]}
    cases = {"no states": [], "fewer names": [STATES[0], fewer], "more names": [fewer, STATES[0]]}
    return {**called.value, "arguments that it changed": called.changed} | {
        name: refusal(lambda states=states: its.averaged(states)) for name, states in cases.items()
    }


@ask(advice="make new tensors, even for one state")
def test_memory_of_its_own(its):
    """Changing a state afterwards does not change the mean, not even the mean of one state."""
    later = its.make(
        "lambda averaged, state: (lambda mean: ([value.add_(1.0) for value in state.values()], "
        "mean)[1])(averaged([state]))"
    )
    return later(its.averaged, {"w": torch.tensor([[1.0, 2.0]])})

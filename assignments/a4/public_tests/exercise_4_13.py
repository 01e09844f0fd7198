"""The visible checks of exercise 4.13: the mean of the last checkpoints."""

from functools import partial

import torch

from grader.checking.question import question, refusal

ask = partial(question, "4.13", read="exercise 4.13")

STATES = [
    {"w": torch.tensor([[1.0, 2.0]]), "b": torch.tensor([4.0])},
    {"w": torch.tensor([[3.0, 0.0]]), "b": torch.tensor([5.0])},
    {"w": torch.tensor([[8.0, 7.0]]), "b": torch.tensor([0.0])},
]


@ask(advice="the mean, in a new tensor for each name", read="§6.1")
def test_three_states(its):
    """The mean of three states."""
    return {**its.averaged(STATES)}


@ask(needs_one_of=["test_three_states"], advice="compare and match the names", corner=True)
def test_names(its):
    """States may have their names in another order; other names raise a ValueError."""
    turned, fewer = dict(reversed(STATES[1].items())), {"w": STATES[0]["w"]}
    cases = {"no states": [], "fewer names": [STATES[0], fewer], "more names": [fewer, STATES[0]]}
    return {**its.averaged([STATES[0], turned])} | {
        name: refusal(lambda states=states: its.averaged(states)) for name, states in cases.items()
    }


@ask(advice="make new tensors, even for one state")
def test_memory_of_its_own(its):
    """The states do not change; if one does afterwards, the mean does not, not even of one."""
    later = its.make(
        "lambda averaged, state: (lambda mean: ([value.add_(1.0) for value in state.values()], "
        "mean)[1])(averaged([state]))"
    )
    mean = later(its.averaged, {"w": torch.tensor([[1.0, 2.0]])})
    return {**mean, "arguments that it changed": its.call(its.averaged, STATES).changed}

"""Hidden tests of exercise 4.13: the mean of several checkpoints."""

from functools import partial

import torch

from autograder.a4.drawn_weights import normal
from grader.checking.question import question, refusal

ask = partial(question, "4.13", read="§6.1; the docstring of 4.13")
# The mean of states that change afterwards.
LATER = (
    "lambda averaged, states: (lambda mean: ([value.add_(1.0) for state in states "
    "for value in state.values()], mean)[1])(averaged(states))"
)
SHAPES = {"tokens.weight": (5, 4), "w_q.weight": (4, 4), "w_k.weight": (4, 4), "scale": ()}


def state(rng, names=tuple(SHAPES)):
    """Random tensors of different shapes, two of them equal, in the order of `names`."""
    drawn = {name: normal(rng, *shape) for name, shape in SHAPES.items()}
    return {name: drawn[name] for name in names}


@ask(needs_one_of=["test_mean"], advice="compare and match the names", corner=True)
def test_nothing_to_average(its, rng):
    """No state, and states of different names, raise a ValueError; their order is free."""
    states, fewer = [state(rng), state(rng)], state(rng, tuple(SHAPES)[:3])
    cases = {
        "without states": [],
        "fewer names at the end": [*states, fewer],
        "fewer names at the beginning": [fewer, *states],
        "another name": [*states, fewer | {"scales": torch.tensor(1.0)}],
    }
    other = its.averaged([state(rng), state(rng, [*SHAPES][::-1])])
    return {f"{name} of states in another order": value for name, value in other.items()} | {
        name: refusal(lambda states=states: its.averaged(states)) for name, states in cases.items()
    }


@ask(weight=3, advice="the mean of the tensors of one name; `+=` writes into those of a state")
def test_mean(its, rng):
    """Each tensor is the mean over one, two or five states."""
    cases = {n: [state(rng) for _ in range(n)] for n in (1, 2, 5)}
    return {
        f"{name} of {n} states": value
        for n, states in cases.items()
        for name, value in its.averaged(states).items()
    }


@ask(advice="make new tensors, even for one state")
def test_own_memory(its, rng):
    """The mean has its own memory, even for one state."""
    return {
        f"{name} of {n} states, which then change": value
        for n in (3, 1)
        for name, value in its.make(LATER)(its.averaged, [state(rng) for _ in range(n)]).items()
    }

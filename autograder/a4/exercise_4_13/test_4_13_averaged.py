"""Hidden tests of exercise 4.13: the mean of several checkpoints."""

from functools import partial

import torch

from grader.checking.question import question, refusal

READ = "§6.1; the docstring of 4.13"
ask = partial(question, "4.13", read=READ)
# The mean of states that change afterwards.
LATER = (
    "lambda averaged, states: (lambda mean: ([value.add_(1.0) for state in states "
    "for value in state.values()], mean)[1])(averaged(states))"
)
SHAPES = {
    "embedding.tokens.weight": (5, 4),
    "w_q.weight": (4, 4),
    "w_k.weight": (4, 4),
    "scale": (),
}


def state(rng, names=tuple(SHAPES)):
    """Random tensors of different shapes, two of them equal, in the order of `names`."""
    drawn = {name: torch.tensor(rng.normal(size=shape)) for name, shape in SHAPES.items()}
    return {name: drawn[name].float() for name in names}


def means(its, states, what):
    found = its.averaged(states)
    return {f"{name} of {what}": value for name, value in found.items()}


@ask(weight=2, advice="the mean of the tensors of one name")
def test_mean(its, rng):
    """Each tensor is the mean over one, two or five states."""
    made = [means(its, [state(rng) for _ in range(n)], f"{n} states") for n in (1, 2, 5)]
    return made[0] | made[1] | made[2]


@ask(advice="`+=` writes into the tensors of a state")
def test_states_stay(its, rng):
    """The states are not changed."""
    called = its.call(its.averaged, [state(rng) for _ in range(3)])
    return {"arguments that it changed": called.changed}


@ask(weight=0.5, advice="make new tensors, even for one state")
def test_own_memory(its, rng):
    """The mean has its own memory, even for one state."""
    return {
        f"{name} of {n} states, which then change": value
        for n in (3, 1)
        for name, value in its.make(LATER)(its.averaged, [state(rng) for _ in range(n)]).items()
    }


@ask(advice="look up each tensor by its name")
def test_by_name(its, rng):
    """Tensors are matched by name, in whatever order a state holds them."""
    embedding, w_q, w_k, scale = SHAPES
    one = means(its, [state(rng), state(rng, (scale, w_k, w_q, embedding))], "the reverse order")
    return one | means(
        its, [state(rng), state(rng, (embedding, w_k, w_q, scale))], "w_k before w_q"
    )


@ask(
    weight=0.5, beside=["test_mean", "test_states_stay", "test_by_name"], advice="compare the names"
)
def test_nothing_to_average(its, rng):
    """No state, and states of different names, raise a ValueError."""
    states = [state(rng), state(rng)]
    others = {
        "more names": state(rng) | {"w_o.weight": torch.ones(4, 4)},
        "fewer names": state(rng, tuple(SHAPES)[:3]),
        "another name": state(rng, tuple(SHAPES)[:3]) | {"scales": torch.tensor(1.0)},
    }
    answer = {"without states": refusal(lambda: its.averaged([]))}
    for name, other in others.items():
        for place, order in (("last", [*states, other]), ("first", [other, *states])):
            answer[f"{name} in the {place} state"] = refusal(
                lambda order=order: its.averaged(order)
            )
    return answer

"""Hidden tests of exercise 4.13: the mean of several checkpoints."""

import torch

from autograder.a3.answers import answered, normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§6.1; the docstring of 4.13"
# The names whose mean shares memory with a state.
SHARED = (
    "lambda averaged, states: (lambda made: [name for name, value in made.items() if any("
    "value.untyped_storage().data_ptr() == one[name].untyped_storage().data_ptr() "
    "for one in states)])(averaged(states))"
)


def state(rng):
    """Random tensors of different shapes, two of them equal."""
    return {
        "embedding.tokens.weight": normal(rng, 5, 4),
        "w_q.weight": normal(rng, 4, 4),
        "w_k.weight": normal(rng, 4, 4),
        "scale": normal(rng),
    }


def mean_of(student, states):
    """The mean, one tensor per name, and whether a state was modified."""
    called = answered(
        lambda: student.call(student.averaged, states),
        "a dict with the mean of the tensors for each name",
        READ,
    )
    found = called.value
    expect.true(
        isinstance(found, dict) and set(found) == set(states[0]),
        expected=f"a dict with the names {', '.join(states[0])}",
        got=f"{list(found)}" if isinstance(found, dict) else type(found).__name__,
        otherwise="return a state dict, as `load_state_dict` takes it",
        read=READ,
    )
    return found, called.changed


def compare(found, states):
    for name in states[0]:
        values = torch.stack([one[name] for one in states])
        expect.close(
            found[name],
            values.mean(0),
            atol=1e-5,
            otherwise="the mean of the tensors of one name",
            read=READ,
            what=f"{name} of {len(states)} states",
        )


def running(values):
    mean = values[0]
    for value in values[1:]:
        mean = (mean + value) / 2
    return mean


def by_place(states, name):
    """The mean over the tensors at the position of `name`, or None if their shapes differ."""
    place = list(states[0]).index(name)
    values = [list(one.values())[place] for one in states]
    shapes = {tuple(value.shape) for value in values} - {()}
    return sum(values) / len(values) if len(shapes) < 2 else torch.zeros(99)


@exercise("4.13", weight=2)
def test_mean(student, rng):
    """Each tensor is the mean over one, two or five states."""
    for count in (1, 3, 5):
        states = [state(rng) for _ in range(count)]
        compare(mean_of(student, states)[0], states)


@exercise("4.13")
def test_states_stay(student, rng):
    """The states are not changed."""
    states = [state(rng) for _ in range(3)]
    expect.unchanged(
        mean_of(student, states)[1],
        read=READ,
    )


@exercise("4.13", weight=0.5)
def test_own_memory(student, rng):
    """The mean has its own memory, even for one state."""
    for count in (3, 1):  # the value of a mean is checked first
        states = [state(rng) for _ in range(count)]
        compare(mean_of(student, states)[0], states)
        shared = answered(
            lambda states=states: student.make(SHARED)(student.averaged, states),
            "a dict of tensors",
            READ,
        )
        expect.true(
            not shared,
            expected="a mean that later changes of the states do not affect",
            got=f"{', '.join(shared)} sharing memory with a state",
            read=READ,
        )


@exercise("4.13")
def test_by_name(student, rng):
    """Tensors are matched by name, in whatever order a state holds them."""
    first, second = state(rng), state(rng)
    order = ["scale", "w_k.weight", "w_q.weight", "embedding.tokens.weight"]
    swapped = ["embedding.tokens.weight", "w_k.weight", "w_q.weight", "scale"]
    for names in (order, swapped):
        states = [first, {name: second[name] for name in names}]
        made = answered(
            lambda states=states: mean_of(student, states),
            MISTAKE.averaged_by_place,
            READ,
            "size",
        )
        compare(made[0], states)


@exercise("4.13", weight=0.5, beside=["test_mean", "test_states_stay", "test_by_name"])
def test_nothing_to_average(student, rng):
    """No state, and states of different names, raise a ValueError."""
    expect.raises(
        lambda: student.averaged([]),
        because="an empty list is accepted: there is no mean of zero states",
        read=READ,
    )
    states = [state(rng), state(rng), state(rng)]
    more, fewer, renamed = ({**state(rng)} for _ in range(3))
    more["w_o.weight"] = normal(rng, 4, 4)
    del fewer["scale"]
    renamed["scales"] = renamed.pop("scale")
    for other in (more, fewer, renamed):
        for order in ([*states, other], [other, *states]):
            expect.raises(
                lambda order=order: student.averaged(order),
                otherwise="compare the names before anything is added up",
                read=READ,
            )

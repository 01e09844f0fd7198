"""The visible checks of exercise 4.13: the mean of the last checkpoints."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

STATES = [{"w": torch.tensor([[1.0, 2.0]]), "b": torch.tensor([4.0])},
          {"w": torch.tensor([[3.0, 0.0]]), "b": torch.tensor([5.0])},
          {"w": torch.tensor([[8.0, 7.0]]), "b": torch.tensor([0.0])}]


@exercise("4.13")
def test_three_states(student):
    """The mean of three small states, tensor by tensor; the states do not change."""
    called = student.call(student.averaged, STATES)
    expect.equal(sorted(called.value) if isinstance(called.value, dict) else called.value,
                 ["b", "w"], what="the names", read="exercise 4.13")
    want = {"w": [[4.0, 3.0]], "b": [3.0]}
    last = {name: STATES[2][name] for name in want}
    for name, value in want.items():
        expect.close(
            called.value[name], value, what=name,
            read="§6.1")
    expect.unchanged(called.changed, read="exercise 4.13", because="`+=` on the first state's "
                     "tensors writes into that state: start with a new tensor")


@exercise("4.13")
def test_memory_of_its_own(student):
    """Changing a state afterwards does not change the mean, not even the mean of one state."""
    later = student.make("lambda averaged, state: (lambda mean: ([value.add_(1.0) for value in "
                         "state.values()], mean)[1])(averaged([state]))")
    state = {"w": torch.tensor([[1.0, 2.0]])}
    mean = later(student.averaged, state)
    expect.close(mean["w"], [[1.0, 2.0]], what="w of a mean of one state, which then changes",
                 read="exercise 4.13")


@exercise("4.13", beside=["test_three_states", "test_memory_of_its_own"])
def test_what_has_no_mean(student):
    """No states, and states of different models, raise a ValueError."""
    expect.raises(lambda: student.averaged([]), read="exercise 4.13",
                  otherwise="raise a ValueError for an empty list")
    for states in ([STATES[0], {"w": STATES[0]["w"]}], [{"w": STATES[0]["w"]}, STATES[0]]):
        expect.raises(lambda states=states: student.averaged(states), read="exercise 4.13",
                      otherwise="all states must have the same names")

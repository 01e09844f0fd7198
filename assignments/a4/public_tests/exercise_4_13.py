"""The visible checks of exercise 4.13: the mean of the last checkpoints."""

import torch

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

STATES = [{"w": torch.tensor([[1.0, 2.0]]), "b": torch.tensor([4.0])},
          {"w": torch.tensor([[3.0, 0.0]]), "b": torch.tensor([5.0])},
          {"w": torch.tensor([[8.0, 7.0]]), "b": torch.tensor([0.0])}]


@exercise("4.13")
def test_three_states(student):
    """The mean of three small states, tensor by tensor; they stay as they are."""
    called = student.call(student.averaged, STATES)
    expect.equal(sorted(called.value) if isinstance(called.value, dict) else called.value,
                 ["b", "w"], what="the names", read="exercise 4.13")
    want = {"w": [[4.0, 3.0]], "b": [3.0]}
    last = {name: STATES[2][name] for name in want}
    for name, value in want.items():
        expect.close(
            called.value[name], value, what=name,
            causes={"that is the sum": 3 * torch.tensor(value), "the last state is missing":
                    (STATES[0][name] + STATES[1][name]) / 2,
                    "a running mean of two gives the last ones more weight":
                    ((STATES[0][name] + STATES[1][name]) / 2 + last[name]) / 2,
                    "that is the last state": last[name]}, read="§6.1")
    expect.unchanged(called.changed, read="exercise 4.13", because="`+=` on the first state's "
                     "tensors writes into that state: begin with a tensor of your own")


@exercise("4.13")
def test_memory_of_its_own(student):
    """What happens to a state afterwards does not change the mean, not even that of one state."""
    later = student.make("lambda averaged, state: (lambda mean: ([value.add_(1.0) for value in "
                         "state.values()], mean)[1])(averaged([state]))")
    state = {"w": torch.tensor([[1.0, 2.0]])}
    mean = later(student.averaged, state)
    expect.close(mean["w"], [[1.0, 2.0]], what="w of a mean of one state, which then changes",
                 causes={"the mean is the state itself: give it memory of its own": [[2.0, 3.0]]},
                 read="exercise 4.13")


@exercise("4.13")
def test_what_has_no_mean(student):
    """No states at all, and states of different models, are refused."""
    expect.raises(lambda: student.averaged([]), read="exercise 4.13",
                  otherwise="there is nothing to divide")
    for states in ([STATES[0], {"w": STATES[0]["w"]}], [{"w": STATES[0]["w"]}, STATES[0]]):
        expect.raises(lambda states=states: student.averaged(states), read="exercise 4.13",
                      otherwise="every state must have the names of all others")

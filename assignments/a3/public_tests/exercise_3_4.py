"""The visible checks of exercise 3.4: the feed-forward network."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def drawn_state(module, seed=0):
    """A random state dict for the student's module."""
    state = module.state_dict()
    return {name: draw(seed + i, *state[name].shape) / 2 for i, name in enumerate(sorted(state))}


@exercise("3.4")
def test_names(student):
    """Two linear layers with the pinned names."""
    state = student.FeedForward(4, 6).state_dict()
    shapes = {name: tuple(value.shape) for name, value in state.items()}
    want = {"w_1.weight": (6, 4), "w_1.bias": (6,), "w_2.weight": (4, 6), "w_2.bias": (4,)}
    expect.equal(shapes, want, what="names and shapes",
                 otherwise="w_1 maps to d_ff features, w_2 maps back", read="§3.3")


@exercise("3.4")
def test_two_layers_by_hand(student):
    """max(0, x W₁ + b₁) W₂ + b₂, with values written in."""
    module = student.FeedForward(4, 6)
    state = drawn_state(module)
    module.load_state_dict(state)
    x = draw(9, 2, 3, 4)
    inner = x @ state["w_1.weight"].T + state["w_1.bias"]

    def out(hidden):
        return hidden @ state["w_2.weight"].T + state["w_2.bias"]

    expect.close(
        module(x), out(inner.clamp(min=0)), atol=1e-5,
        otherwise="w_1, then max(0, …), then w_2; no dropout inside", read="§3.3, Eq. 2")


@exercise("3.4", beside=["test_names", "test_two_layers_by_hand"])
def test_no_dropout_inside(student):
    """Calls agree in training mode, too, and positions are independent."""
    module = student.FeedForward(4, 256)
    module.train()
    x = draw(1, 8, 4)
    first, second = (student.call(module, x, seed=seed).value for seed in (1, 2))
    expect.true(torch.equal(first, second), expected="two calls that agree in training mode",
                got="two that differ", because="there is dropout inside: the residual "
                "connection applies it, not this network", read="§5.4")
    moved = x.clone()
    moved[3] += 1
    others = [row for row in range(8) if row != 3]
    expect.close(module(moved)[others], first[others], atol=1e-5, what="all rows but 3, after x[3] "
                 "has changed", otherwise="positions are independent", read="§3.3")

"""The visible checks of exercise 2.9: the diversity of heads."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise("2.9")
def test_identical_and_disjoint(student):
    """Identical heads differ by 0 bits; heads that share no key differ by 1."""
    look = torch.eye(3)
    same, apart = (torch.stack([look, other])[None] for other in (look, look.roll(1, 1)))
    expect.close(
        student.head_diversity(same), 0.0, what="two identical heads",
        otherwise="0·log 0 counts as 0: use torch.xlogy", read="exercise 2.9")
    expect.close(
        student.head_diversity(apart), 1.0, what="two heads on different keys",
        otherwise="½ KL(p‖m) + ½ KL(q‖m) with m = ½(p + q), logarithms to base 2",
        read="exercise 2.9")


@exercise("2.9")
def test_padding_rows(student):
    """Rows without an allowed key do not count."""
    weights = torch.zeros(1, 2, 3, 2)
    weights[0, 0, :2, 0] = weights[0, 1, :2, 1] = 1.0  # rows 0 and 1: disjoint; row 2 is padding
    mask = torch.tensor([[True, True], [True, True], [False, False]])
    expect.close(
        student.head_diversity(weights, mask), 1.0,
        otherwise="average over the rows that have an allowed key", read="exercise 2.9")
    both = torch.zeros(1, 2, 3, 2)
    both[0, 0, :2, 0] = both[0, 1, ::2, 1] = 1.0  # rows 1 and 2 are one head's
    expect.close(
        student.head_diversity(both, (both > 0).any(-1, keepdim=True)), 1.0,
        otherwise="a row counts if it has a key in both heads", read="exercise 2.9")
    for refused, given in ((weights[:, :1], None), (weights, torch.zeros(3, 2).bool())):
        expect.raises(
            lambda w=refused, m=given: student.head_diversity(w, m),
            because="with one head, or no rows, the mean is undefined: raise a ValueError",
            read="exercise 2.9")


@exercise("2.9")
def test_plot_heads(student):
    """One heat map per head, in order, showing the unchanged weights."""
    weights = draw(0, 2, 2, 2).softmax(-1).numpy()
    axes = student.plot_heads(weights, ["a", "b"])
    expect.true(
        isinstance(axes, (list, tuple)) and len(axes) == 2, expected="a list of 2 Axes",
        got=f"{type(axes).__name__}" + (f" of {len(axes)}" if hasattr(axes, "__len__") else ""),
        otherwise="list(grid.flat[:n_heads]): without unused Axes", read="exercise 2.9")
    for head, one in enumerate(axes):
        shown = one.axes()
        expect.true(bool(shown["images"]), expected=f"an image for head {head}", got="none")
        expect.close(
            shown["images"][0], weights[head], what=f"the image of head {head}",
            otherwise="row = query, column = key", read="exercise 2.9")
        expect.true(
            str(head) in shown["title"], expected=f"a title with {head}", got=repr(shown["title"]),
            otherwise="number the heads from 0", read="exercise 2.9")
        expect.close(
            shown["colour_limits"][0], [0.0, 1.0], what=f"the color limits of head {head}",
            otherwise="vmin=0, vmax=1", read="exercise 2.9")
        for axis in "xy":
            expect.equal(
                [label for label in shown[f"{axis}ticklabels"] if label] or ["a", "b"],
                ["a", "b"], what=f"the {axis} labels", read="exercise 2.9")
    for axis in "xy":  # the outer maps may name an axis for all
        expect.true(
            any(one.axes()[f"{axis}label"] for one in axes), expected=f"a name for the {axis} axis",
            got="none", otherwise=f"ax.set_{axis}label(…)", read="exercise 2.9")
    expect.raises(
        lambda: student.plot_heads(weights, ["a", "b", "c"]),
        because="the weights do not match three tokens: raise a ValueError", read="exercise 2.9")

"""The visible checks of exercise 2.2: splitting and merging heads."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


NUMBERED = torch.arange(24.0).reshape(1, 2, 12)  # two tokens of twelve numbered features


@exercise("2.2")
def test_head_0(student):
    """Head 0 owns the first d_k features of every token."""
    heads = student.split_heads(NUMBERED, 3)
    expect.shape(
        heads, (1, 3, 2, 4), what="split_heads(x, 3), x of shape (1, 2, 12),",
        otherwise="the head axis comes before the token axis: batch, heads, n, d_k",
        read="exercise 2.2")
    expect.close(
        heads[0, 0], NUMBERED[0, :, :4], what="head 0",
        otherwise="first split the last axis into (n_heads, d_k), then swap two axes",
        read="exercise 2.2")


@exercise("2.2")
def test_merge_numbered(student):
    """Merging concatenates the heads' features, token by token."""
    heads = NUMBERED.reshape(1, 2, 3, 4).transpose(1, 2)
    expect.close(
        student.merge_heads(heads.contiguous()), NUMBERED,
        otherwise="(batch, heads, n, d_k) → (batch, n, heads, d_k) → (batch, n, heads·d_k)",
        read="§3.2.2: Concat(head₁, …, head_h)")


@exercise("2.2", beside=["test_head_0"])
def test_round_trip(student):
    """Merging undoes splitting."""
    x = draw(0, 2, 5, 12)
    expect.close(
        student.merge_heads(student.split_heads(x, 4)), x,
        otherwise="merge_heads must undo the steps of split_heads in reverse order",
        read="exercise 2.2")


@exercise("2.2", beside=["test_head_0"])
def test_indivisible(student):
    """Ten features cannot be divided among three heads."""
    expect.raises(
        lambda: student.split_heads(draw(0, 1, 2, 10), 3),
        because="`//` rounds down silently: raise a ValueError when `d_model % n_heads` is not 0",
        read="exercise 2.2")

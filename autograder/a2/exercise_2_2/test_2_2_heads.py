"""Hidden tests of exercise 2.2: splitting the model's features into heads, and merging them."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

HEADS = "§3.2.2"


def numbered(*shape):
    """Elements 0, 1, 2, …, so that a wrong order is visible."""
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape)


def by_slices(x, n_heads):
    """The heads by definition: head i has features i·d_k … (i+1)·d_k."""
    d_k = x.shape[-1] // n_heads
    return torch.stack([x[..., i * d_k : (i + 1) * d_k] for i in range(n_heads)], dim=1)


@exercise("2.2", weight=2)
def test_split_numbered_elements(student):
    """Head i of `split_heads` owns features i·d_k … (i+1)·d_k of every token."""
    for batch, n, d_model, n_heads in [(2, 3, 8, 2), (1, 5, 12, 4), (3, 4, 6, 3)]:
        x, d_k = numbered(batch, n, d_model), d_model // n_heads
        called = student.call(student.split_heads, x, n_heads)
        expect.close(
            called.value,
            by_slices(x, n_heads),
            otherwise="split the last axis into (n_heads, d_k), then move the heads to axis 1",
            read=HEADS,
        )
        expect.unchanged(called.changed)


@exercise("2.2", weight=2)
def test_merge_numbered_elements(student):
    """`merge_heads` concatenates the heads of each token, head 0 first."""
    for batch, n_heads, n, d_k in [(2, 2, 3, 4), (1, 4, 5, 2), (3, 3, 4, 1)]:
        x = numbered(batch, n_heads, n, d_k)
        not_contiguous = {
            MISTAKE.merge_view_after_transpose: lambda x=x: x.transpose(1, 2).view(-1)
        }
        called = student.call(student.merge_heads, x)
        expect.close(
            called.value,
            torch.cat(list(x.unbind(1)), dim=-1),
            otherwise="move the head axis after the token axis, then flatten the last two axes",
            read=HEADS,
        )
        expect.unchanged(called.changed)


@exercise("2.2")
def test_inputs_that_are_not_contiguous(student):
    """Non-contiguous tensors, such as slices and transposes, are split and merged correctly."""
    sliced = student.make("torch.arange(96.).reshape(2, 3, 16)[:, :, ::2]")
    expect.close(
        student.split_heads(sliced, 2),
        by_slices(numbered(2, 3, 16)[:, :, ::2], 2),
        otherwise=MISTAKE.merge_by_strides,
        read="torch.Tensor.view",
    )
    swapped = student.make("torch.arange(48.).reshape(2, 3, 2, 4).transpose(1, 2)")
    # What the memory would be read as if it were contiguous (batch, heads, n, d_k).
    memory = numbered(2, 2, 3, 4).transpose(1, 2).reshape(2, 3, 8)
    expect.close(
        student.merge_heads(swapped),
        numbered(2, 3, 8),
        otherwise=MISTAKE.merge_by_strides,
        read="torch.Tensor.view",
    )


@exercise("2.2")
def test_round_trip(student, rng):
    """Merging undoes splitting: with one head, several heads, and one feature per head."""
    for n_heads in (1, 3, 6):
        x = torch.from_numpy(rng.normal(size=(2, 5, 6)))
        heads = student.split_heads(x, n_heads)
        expect.shape(heads, (2, n_heads, 5, 6 // n_heads), what="the heads", read=HEADS)
        expect.dtype(heads, "float64", what="the heads", read="exercise 2.2, the signature")
        expect.close(
            student.merge_heads(heads),
            x,
            otherwise="`merge_heads` must undo the steps of `split_heads` in reverse order",
            read=HEADS,
        )


@exercise("2.2")
def test_gradients(student, rng):
    """Gradients flow through both functions to the correct features."""
    x, weight = (torch.from_numpy(rng.normal(size=(2, 3, 8))) for _ in range(2))
    heads = by_slices(weight, 4)
    for function, arguments, cotangent, wanted in [
        (student.split_heads, (x, 4), heads, weight),
        (student.merge_heads, (by_slices(x, 4),), weight, heads),
    ]:
        got = student.vjp(function, *arguments, cotangent=cotangent).arguments.get(0)
        expect.close(
            torch.zeros_like(wanted) if got is None else got,
            wanted,
            otherwise=f"in `{function.name}`: `.detach()`, `.numpy()` or `torch.tensor(…)` "
            "cuts the graph, and a wrong order sends gradients to the wrong feature",
            read=HEADS,
            what=f"the gradient through `{function.name}`",
        )


@exercise(
    "2.2",
    beside=[
        "test_split_numbered_elements",
        "test_inputs_that_are_not_contiguous",
        "test_round_trip",
    ],
)
def test_indivisible_width(student):
    """A width that is not divisible by n_heads raises a ValueError."""
    for d_model, n_heads in [(8, 3), (4, 8)]:
        expect.raises(
            lambda d=d_model, h=n_heads: student.split_heads(numbered(2, 3, d), h),
            read="exercise 2.2, the docstring",
        )

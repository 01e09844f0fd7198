"""Hidden tests of exercise 2.2: splitting the model's features into heads, and merging them."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question, refusal

HEADS = "§3.2.2"
SPLIT = "split the last axis into (n_heads, d_k), then move the heads to axis 1"
MERGE = "move the head axis after the token axis, then flatten the last two axes"


def numbered(*shape):
    """Elements 0, 1, 2, …, so that a wrong order is visible."""
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape)


def called(its, function, *arguments):
    call = its.call(function, *arguments)
    return {f"the result for {tuple(arguments[0].shape)}": call.value, "changed": call.changed}


@question("2.2", weight=2, advice=SPLIT, read=HEADS)
def test_split_numbered_elements(its):
    """Head i of `split_heads` owns features i·d_k … (i+1)·d_k of every token."""
    found = {}
    for batch, n, d_model, n_heads in [(2, 3, 8, 2), (1, 5, 12, 4), (3, 4, 6, 3), (1, 1, 2, 1)]:
        found |= called(its, its.split_heads, numbered(batch, n, d_model), n_heads)
    return found


@question("2.2", weight=2, advice=MERGE, read=HEADS)
def test_merge_numbered_elements(its):
    """`merge_heads` concatenates the heads of each token, head 0 first."""
    found = {}
    for shape in [(2, 2, 3, 4), (1, 4, 5, 2), (3, 3, 4, 1), (1, 1, 1, 2)]:
        found |= called(its, its.merge_heads, numbered(*shape))
    return found


@question("2.2", advice="work with shapes, not strides: `reshape`", read="torch.Tensor.view")
def test_inputs_that_are_not_contiguous(its):
    """Non-contiguous tensors, such as slices and transposes, are split and merged correctly."""
    sliced = its.make("torch.arange(96.).reshape(2, 3, 16)[:, :, ::2]")
    swapped = its.make("torch.arange(48.).reshape(2, 3, 2, 4).transpose(1, 2)")
    return {"a slice, split": its.split_heads(sliced, 2), "merged": its.merge_heads(swapped)}


@question("2.2", advice="undo the steps of `split_heads` in reverse order", read=HEADS)
def test_round_trip(its, rng):
    """Merging undoes splitting: with one head, several heads, and one feature per head."""
    found, x = {}, normal(rng, 2, 5, 6).double()
    for n_heads in (1, 3, 6):
        heads = its.split_heads(x, n_heads)
        found |= {f"{n_heads} heads": heads, f"{n_heads} merged": its.merge_heads(heads)}
        found[f"dtype of {n_heads} heads"] = str(heads.dtype)
    return found


@question("2.2", weight=3, advice="`.detach()` or `torch.tensor(…)` cuts the graph", read=HEADS)
def test_gradients(its, rng):
    """Gradients flow through both functions to the correct features."""
    x, heads = normal(rng, 2, 3, 8), normal(rng, 2, 4, 3, 2)
    split = its.vjp(its.split_heads, x, 4, cotangent=heads)
    merged = its.vjp(its.merge_heads, heads, cotangent=x)
    return {"through `split_heads`": split.arguments[0], "`merge_heads`": merged.arguments[0]}


TOGETHER = [
    "test_split_numbered_elements",
    "test_inputs_that_are_not_contiguous",
    "test_round_trip",
]


@question(
    "2.2", beside=TOGETHER, advice="a ValueError that names both numbers", read="exercise 2.2"
)
def test_indivisible_width(its):
    """A width that is not divisible by n_heads raises a ValueError that names both numbers."""
    asked = [(8, 3), (4, 8)]
    return [refusal(lambda a=a: its.split_heads(numbered(2, 5, a[0]), a[1]), a) for a in asked]

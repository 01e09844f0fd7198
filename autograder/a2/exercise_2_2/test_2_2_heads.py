"""Hidden tests of exercise 2.2: splitting the model's features into heads, and merging them."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question, refusal

HEADS = "§3.2.2"
SPLIT = "split the last axis into (n_heads, d_k), then move the heads to axis 1"


def numbered(*shape):
    """Elements 0, 1, 2, …, so that a wrong order is visible."""
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape)


@question("2.2", weight=3, advice=SPLIT, read=HEADS)
def test_split_numbered_elements(its):
    """Head i has features i·d_k … (i+1)·d_k of every token; merging concatenates them again."""
    found = {}
    for batch, n, d_model, n_heads in [(2, 3, 8, 2), (1, 5, 12, 4), (3, 4, 6, 1), (1, 1, 2, 2)]:
        x = numbered(batch, n, d_model)
        found[f"{(batch, n, d_model)} in {n_heads} heads"] = its.split_heads(x, n_heads)
        heads = x.reshape(batch, n_heads, n, -1).double()
        merged = found[f"merged of {tuple(heads.shape)}"] = its.merge_heads(heads)
        found["their dtype"] = str(merged.dtype)
    return found


@question("2.2", corner=True, advice="shapes, not strides: `reshape`", read="torch.Tensor.view")
def test_inputs_that_are_not_contiguous(its):
    """Non-contiguous tensors, such as slices and transposes, are split and merged correctly."""
    sliced = its.make("torch.arange(96.).reshape(2, 3, 16)[:, :, ::2]")
    swapped = its.make("torch.arange(48.).reshape(2, 3, 2, 4).transpose(1, 2)")
    return {"a slice, split": its.split_heads(sliced, 2), "merged": its.merge_heads(swapped)}


@question("2.2", weight=3, advice="`.detach()` or `torch.tensor(…)` cuts the graph", read=HEADS)
def test_gradients(its, rng):
    """Gradients flow through both functions to the correct features."""
    x, heads = normal(rng, 2, 3, 8), normal(rng, 2, 4, 3, 2)
    split = its.vjp(its.split_heads, x, 4, cotangent=heads)
    merged = its.vjp(its.merge_heads, heads, cotangent=x)
    return {"through `split_heads`": split.arguments[0], "`merge_heads`": merged.arguments[0]}


@question("2.2", corner=True, advice="ask `d_model % n_heads`", read=HEADS)
def test_indivisible(its, rng):
    """A remainder is a ValueError that names both numbers."""
    n_heads = int(rng.integers(4, 9))
    numbers = (3 * n_heads + 1, n_heads)
    return refusal(lambda: its.split_heads(torch.ones(1, 2, numbers[0]), n_heads), numbers)

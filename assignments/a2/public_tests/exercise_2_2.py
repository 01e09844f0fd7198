"""The visible checks of exercise 2.2: splitting and merging heads."""

import torch

from grader.checking.question import question, refusal

NUMBERED = torch.arange(24.0)  # two sentences of two tokens


@question(
    "2.2", advice="split the last axis into (n_heads, d_k), swap two axes", read="exercise 2.2"
)
def test_head_0(its):
    """Head 0 owns the first d_k features of every token."""
    found = its.vjp(its.split_heads, NUMBERED.reshape(2, 2, 6), 3)
    return {"three heads": found.value, "the gradient of their sum": found.arguments[0]}


@question("2.2", advice="(batch, heads, n, d_k) → (batch, n, heads, d_k)", read="§3.2.2: Concat")
def test_merge_numbered(its):
    """Merging concatenates the heads' features, token by token."""
    found = its.vjp(its.merge_heads, NUMBERED.reshape(2, 3, 2, 2))
    return {"three heads, merged": found.value, "the gradient of their sum": found.arguments[0]}


@question("2.2", corner=True, needs_one_of=["test_head_0"], advice="ask `d_model % n_heads`")
def test_indivisible(its):
    """Ten features cannot be divided among three heads: a ValueError that names both."""
    return refusal(lambda: its.split_heads(torch.ones(1, 2, 10), 3), [10, 3])

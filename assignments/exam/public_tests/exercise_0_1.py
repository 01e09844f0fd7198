"""The visible checks of exercise 0.1: masked attention."""

import torch

from grader.checking.question import question

X = torch.arange(40.0).sin().reshape(2, 5, 4)


@question("0.1", advice="(weights @ value, weights) with softmax(QKᵀ/√d_k)", read="exercise 0.1")
def test_a_small_case(its):
    """One query and two keys, by hand."""
    query, key = torch.tensor([[2.0, 0.0]]), torch.tensor([[2.0**0.5, 0.0], [0.0, 1.0]])
    return its.attention(query, key, torch.tensor([[1.0], [0.0]]))


@question("0.1", advice="True = may attend", read="§3.2.3")
def test_causal_mask(its):
    """Under a causal mask no query reads the future, and its weights sum to one."""
    return {"weights": its.attention(X, X, X, torch.ones(5, 5, dtype=torch.bool).tril())[1]}

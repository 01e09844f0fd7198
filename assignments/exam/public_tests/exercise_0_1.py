"""The visible check of exercise 0.1: masked attention."""

import torch

from grader.checking.question import question

X = torch.arange(40.0).sin().reshape(2, 5, 4)


@question("0.1", 2, advice="(weights @ value, weights); True = may attend", read="§3.2.1, §3.2.3")
def test_a_small_case(its):
    """One query and two keys, by hand; under a causal mask no query reads the future."""
    query, key = torch.tensor([[2.0, 0.0]]), torch.tensor([[2.0**0.5, 0.0], [0.0, 1.0]])
    small = its.attention(query, key, torch.tensor([[1.0], [0.0]]))
    causal = its.attention(X, X, X, torch.ones(5, 5).tril().bool())
    dropped = its.attention(X, X, X, dropout=its.make("lambda weights: 0 * weights"))[1]
    return {
        "output": small[0],
        "weights": small[1],
        "weights, causal mask": causal[1],
        "weights, dropout": dropped,
    }

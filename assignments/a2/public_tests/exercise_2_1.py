"""The visible checks of exercise 2.1: attention on tensors."""

import torch

from grader.checking.question import question, refusal

# The worked example of assignment 1: five tokens, d_k = 3, d_v = 2.
QUERY = torch.tensor([[0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]]).float()
KEY = torch.tensor([[0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]]).float()
VALUE = torch.tensor([[1, 0], [1, 3], [2, 2], [1, 0], [0, 2]]).float()
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()


def attended(its, *options):
    output, weights = its.attention(QUERY, KEY, VALUE, *options)
    return {"the weights": weights, "the output": output}


@question("2.1", advice="set masked scores to a very large negative number", read="§3.2.3")
def test_mask(its):
    """Under a causal mask, a query attends to keys up to its own; its weights sum to one."""
    return attended(its, CAUSAL)


@question("2.1", weight=2, advice="return (dropout(weights) @ value, weights)", read="§3.2.1")
def test_dropout(its):
    """The weights of assignment 1; dropout, keeping one key, affects only those in use."""
    return attended(its, None, its.make("lambda w: 2 * w * (torch.arange(w.shape[-1]) == 1)"))


@question("2.1", corner=True, advice="do not create NaN", read="exercise 2.1, the trap")
def test_row_without_keys(its):
    """A query whose keys are all masked gets zeros, and its gradients are finite."""
    found = its.vjp(its.attention, QUERY, KEY, VALUE, mask=CAUSAL & (torch.arange(5) != 2)[:, None])
    return {"the output": found.value, "the gradient of the query": found.arguments[0]}


@question(
    "2.1", advice="count axes from the end, also for d_k; call `_check_shapes`", read="exercise 2.1"
)
def test_leading_axes(its):
    """Leading axes for batch and heads are kept; incompatible shapes raise a ValueError."""
    x = torch.arange(48.0).sin().reshape(2, 3, 4, 2)
    refused = [
        refusal(lambda pair=pair: its.attention(x, *pair), ["2, 3, 4, 2"])
        for pair in ((x[..., :1], x), (x, x[..., :1, :]))
    ]
    return {"the output": its.attention(x, x + 1, x - 1)[0], "narrow keys, few values": refused}

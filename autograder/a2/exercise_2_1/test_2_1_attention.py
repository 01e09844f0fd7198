"""Hidden tests of exercise 2.1: scaled dot-product attention in PyTorch."""

import torch

from autograder.a2.tensors import normal, parts
from grader.checking.question import question, refusal

EQUATION, EMPTY = "§3.2.1, Eq. 1", "exercise 2.1, the trap"
ATTEND = "softmax(QKᵀ / √d_k) over the last axis, times the values"
DROPOUT = "lambda w: 2 * w * (torch.arange(w.shape[-1]) % 3 > 0)"  # of every third key


def inputs(rng, *lead, n_q=4, n_k=5, d_v=6):
    """Queries, keys and values of other widths; and a mask that leaves every query a key."""
    mask = torch.from_numpy(rng.random((n_q, n_k)) < 0.5)
    mask[:, 0] = True
    return [normal(rng, *lead, *size) for size in ((n_q, 3), (n_k, 3), (n_k, d_v))], mask


@question("2.1", weight=2, advice="−∞ for the scores of masked keys", read="§3.2.3")
def test_mask(its, rng):
    """True = may attend; the mask broadcasts over batch and heads, whatever the scores are."""
    some, square = inputs(rng, 2, 3, n_q=5)
    square[:, 1] = False  # every row has both values: an inverted mask also leaves a key
    padding = torch.arange(5) < torch.tensor([3, 5]).reshape(2, 1, 1, 1)
    far = [torch.tensor([x]).mT for x in ([[-2e4]], [[1.0, 2.0]], [[3.0, 4.0]])]
    found = parts(its.attention(*far, torch.tensor([[True, False]])), " of a score of −20,000")
    for name, mask in {"square": square, "padding": padding, "both": square & padding}.items():
        found |= parts(its.attention(*some, mask), f", {name} mask")
    return found


@question("2.1", weight=4, advice=ATTEND, read=EQUATION)
def test_shapes_and_dtypes(its, rng):
    """Output and weights of Eq. 1: any leading axes, n_q ≠ n_k, d_k ≠ d_v, float32 and float64."""
    found = parts(its.attention(*inputs(rng, 2, 3)[0]), " without a mask")
    for lead, dtype in (((), torch.float32), ((2,), torch.float64), ((2, 3), torch.float32)):
        some, mask = inputs(rng, *lead)
        found |= parts(its.attention(*(x.to(dtype) for x in some), mask), f", leading axes {lead}")
    query, key, value = some
    wrong = refusal(lambda: its.attention(query, key[..., 1:], value), [query.shape[-1]])
    return found | {"with narrow keys": wrong}


def gradients(its, given, mask, cotangent, case=""):
    got = its.vjp(its.attention, *given, mask=mask, cotangent=cotangent)
    names = {"query": 0, "key": 1, "value": 2}
    return {f"the output{case}": got.value} | {
        f"the gradient with respect to the {x}{case}": got.arguments[i] for x, i in names.items()
    }


@question(
    "2.1", weight=3, advice="`.detach()`, `.data` or `.numpy()` cuts the graph", read=EQUATION
)
def test_gradients(its, rng):
    """Gradients equal those of Eq. 1, masked and unmasked."""
    (given, mask), cotangent = inputs(rng, 2), normal(rng, 2, 4, 6)
    masked = gradients(its, given, mask, cotangent, " under a mask")
    return gradients(its, given, None, cotangent) | masked


@question("2.1", 2, corner=True, advice="zero weights, zero output, and no NaN", read=EMPTY)
def test_row_without_keys(its, rng):
    """A query whose keys are all masked gets zero weights, a zero output and zero gradients."""
    given, mask = inputs(rng, 2)
    mask = mask.repeat(2, 1, 1)
    mask[0, 1] = mask[1, 3] = False
    found = parts(its.attention(*given, mask), " of some queries")
    found |= parts(its.attention(*given, torch.zeros_like(mask)), " without any key")
    return found | gradients(its, given, mask, normal(rng, 2, 4, 6))


@question("2.1", weight=4, advice="(dropout(weights) @ value, weights)", read="§5.4")
def test_dropout(its, rng):
    """Dropout is applied to the weights; the returned weights are those before dropout."""
    (some, mask), dropout = inputs(rng, 2), its.make(DROPOUT)
    masked = parts(its.attention(*some, mask, dropout), " under a mask")
    return parts(its.attention(*some, dropout=dropout)) | masked

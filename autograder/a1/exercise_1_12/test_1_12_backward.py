"""Hidden tests of exercise 1.12: the gradients of attention."""

import numpy as np

from grader.checking.question import question

READ = "§3.2.1, Eq. 1; exercise 1.12"
BACK = "go backwards step by step: output, weights, softmax, scores"
NAMES = ("value", "query", "key")  # in the order in which they are derived


def _drawn(rng, n_q, n_k, d_k, d_v, lead=()):
    """Random `grad_output`, query, key and value, with the leading axes `lead`."""
    shapes = ((n_q, d_v), (n_q, d_k), (n_k, d_k), (n_k, d_v))
    return [rng.normal(size=(*lead, *shape)) for shape in shapes]


def _named(gradients, where=""):
    grad_query, grad_key, grad_value = gradients
    found = zip(NAMES, (grad_value, grad_query, grad_key), strict=True)
    return {f"the gradient of {name}{where}": one for name, one in found}


@question("1.12", advice="a gradient has the shape of its argument", read=READ)
def test_contract(its, rng):
    """Three gradients with the shapes of query, key and value; no argument is written into."""
    called = its.call(its.attention_backward, *_drawn(rng, 3, 5, 4, 2))
    shapes = {name: np.shape(one) for name, one in _named(called.value).items()}
    return shapes | {"arguments that it changed": called.changed}


@question("1.12", weight=2, advice=BACK, read=READ)
def test_square_shapes(its, rng):
    """Four queries and four keys of width four, where no mistake raises a shape error."""
    return _named(its.attention_backward(*_drawn(rng, 4, 4, 4, 4)))


@question("1.12", weight=2, advice=BACK, read=READ)
def test_cross_shapes(its, rng):
    """Three queries, five keys, d_k = 4, d_v = 2, and large scores."""
    arrays = _drawn(rng, 3, 5, 4, 2)
    large = _named(its.attention_backward(arrays[0], 2e3 * arrays[1], *arrays[2:]), " if large")
    return _named(its.attention_backward(*arrays)) | large


@question("1.12", weight=2, advice="weights of masked pairs are zero", read=READ)
def test_masks(its, rng):
    """Under a mask, no gradient flows through a masked pair or a query without keys."""
    arrays = _drawn(rng, 4, 4, 3, 2)
    rows = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]], dtype=bool)
    low = [arrays[0], -3e4 * np.abs(arrays[1]), 1 + np.abs(arrays[2]), arrays[3]]
    found = {}
    for where, given, mask in (
        (" under a causal mask", arrays, np.tri(4, dtype=bool)),
        (" with an empty row in the mask", arrays, rows),
        (" for low scores", low, np.eye(4, dtype=bool)),
    ):
        found |= _named(its.attention_backward(*given, mask), where)
    return found


@question("1.12", advice="swap and sum the last two axes only", read=READ)
def test_batch(its, rng):
    """Each sequence of a batch gets its own gradients."""
    return _named(its.attention_backward(*_drawn(rng, 3, 4, 2, 2, lead=(2, 2))))


@question("1.12", advice="the row's weighted sum must cancel", read=READ)
def test_equal_keys(its, rng):
    """With equal values no score matters: query and key get zero. A zero grad_output gives zero."""
    grad_output, query, key, value = _drawn(rng, 3, 4, 2, 2)
    same = np.repeat(value[:1], 4, axis=0)
    return _named(its.attention_backward(grad_output, query, key, same), " for equal values") | (
        _named(its.attention_backward(0 * grad_output, query, key, value), " of zero")
    )

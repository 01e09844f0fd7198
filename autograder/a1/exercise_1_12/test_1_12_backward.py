"""Hidden tests of exercise 1.12: the gradients of attention."""

import numpy as np

from grader.checking.question import question

READ = "§3.2.1, Eq. 1; exercise 1.12"
BACK = "go backwards step by step: output, weights, softmax, scores"


def _drawn(rng, n_q, n_k, d_k, d_v, lead=()):
    """Random `grad_output`, query, key and value, with the leading axes `lead`."""
    shapes = ((n_q, d_v), (n_q, d_k), (n_k, d_k), (n_k, d_v))
    return [rng.normal(size=(*lead, *shape)) for shape in shapes]


def _named(gradients, where=""):
    """The gradients by name, in the order in which they are derived."""
    query, key, value = gradients
    named = {"value": value, "query": query, "key": key}
    return {f"the gradient of {name}{where}": one for name, one in named.items()}


def _gradients(its, *arguments, where=""):
    return _named(its.attention_backward(*arguments), where)


@question("1.12", weight=2, advice=BACK, read=READ)
def test_square_shapes(its, rng):
    """Four queries and four keys of width four, where no mistake raises a shape error."""
    return _gradients(its, *_drawn(rng, 4, 4, 4, 4))


@question("1.12", weight=2, advice=BACK, read=READ)
def test_cross_shapes(its, rng):
    """Three queries, five keys, d_k = 4, d_v = 2, and large scores."""
    given, query, *others = _drawn(rng, 3, 5, 4, 2)
    large = _gradients(its, given, 2e3 * query, *others, where=" for large scores")
    return _gradients(its, given, query, *others) | large


@question("1.12", weight=2, advice="weights of masked pairs are zero", read=READ)
def test_masks(its, rng):
    """Under a mask, no gradient flows through a masked pair or a query without keys."""
    given, query, key, value = _drawn(rng, 4, 4, 3, 2)
    rows = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]], dtype=bool)
    low = (given, -3e4 * np.abs(query), 1 + np.abs(key), value, np.eye(4, dtype=bool))
    causal = _gradients(its, given, query, key, value, np.tri(4, dtype=bool), where=", causal")
    empty = _gradients(its, given, query, key, value, rows, where=", an empty row in the mask")
    return causal | empty | _gradients(its, *low, where=" for low scores")


@question("1.12", advice="swap and sum the last two axes only", read=READ)
def test_batch(its, rng):
    """Each sequence of a batch gets its own gradients, and no argument is written into."""
    called = its.call(its.attention_backward, *_drawn(rng, 3, 4, 2, 2, lead=(2, 2)))
    return _named(called.value) | {"arguments that it changed": called.changed}


@question("1.12", advice="the row's weighted sum must cancel", read=READ)
def test_equal_keys(its, rng):
    """With equal values no score matters: query and key get zero. A zero grad_output gives zero."""
    given, query, key, value = _drawn(rng, 3, 4, 2, 2)
    same = np.repeat(value[:1], 4, axis=0)
    zero = _gradients(its, 0 * given, query, key, value, where=" of zero")
    return _gradients(its, given, query, key, same, where=" for equal values") | zero

"""Hidden tests of exercise 1.12: the gradients of attention."""

import numpy as np

from grader.checking.question import question

READ = "§3.2.1, Eq. 1; exercise 1.12"
BACK = "go backwards step by step: output, weights, softmax, scores"


def _drawn(rng, n_q, n_k, d_k, d_v, lead=()):
    """Random `grad_output`, query, key and value, with the leading axes `lead`."""
    shapes = ((n_q, d_v), (n_q, d_k), (n_k, d_k), (n_k, d_v))
    return [rng.normal(size=(*lead, *shape)) for shape in shapes]


def _gradients(its, *arguments, where=""):
    """The gradients by name, in the order in which they are derived."""
    query, key, value = its.attention_backward(*arguments)
    named = {"value": value, "query": query, "key": key}
    return {f"the gradient of {name}{where}": one for name, one in named.items()}


@question("1.12", weight=2, advice=BACK, read=READ)
def test_cross_shapes(its, rng):
    """Three queries, five keys, d_k = 4, d_v = 2."""
    return _gradients(its, *_drawn(rng, 3, 5, 4, 2))


@question("1.12", weight=2, corner=True, advice="use your softmax; masked weights are 0", read=READ)
def test_far_scores(its, rng):
    """Scores of many thousands, positive or negative, masked or not, give finite gradients."""
    given, query, key, value = _drawn(rng, 4, 4, 3, 2)
    low = -3e4 * np.abs(query), 1 + np.abs(key), value, np.eye(4, dtype=bool)
    found = _gradients(its, given, 2e3 * query, key, value, where=" for large scores")
    return found | _gradients(its, given, *low, where=" for low scores")


@question("1.12", weight=2, advice="weights of masked pairs are zero; use the last axes", read=READ)
def test_masks(its, rng):
    """No gradient flows through a masked pair or a query without keys, in a batch, too."""
    given, query, key, value = _drawn(rng, 4, 4, 3, 2)
    rows = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]], dtype=bool)
    batch = _drawn(rng, 4, 4, 2, 2, lead=(2, 2))
    found = _gradients(its, *batch, np.tri(4, dtype=bool), where=", causal, in a batch")
    empty = _gradients(its, given, query, key, value, rows, where=", an empty row in the mask")
    return found | empty

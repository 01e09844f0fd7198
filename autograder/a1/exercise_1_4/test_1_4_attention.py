"""Hidden tests of exercise 1.4: scaled dot-product attention with masks."""

import numpy as np

from grader.checking.question import question, refusal

READ = "§3.2.1, Eq. 1"
MASKS = "§3.2.3, last item; exercise 1.4, requirements"
EQUATION = "softmax(QKᵀ/√d_k) along the last axis, times the values; return (output, weights)"
MASKED = "set masked scores to a large negative number before the softmax"


def _drawn(rng, n_q, n_k, d_k=4, d_v=3, lead=()):
    return [rng.normal(size=(*lead, *s)) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v))]


def _named(pair, where=""):
    """Weights before the output, because the output follows from them."""
    output, weights = pair
    return {f"weights{where}": weights, f"output{where}": output}


@question("1.4", weight=3, advice=EQUATION, read=READ)
def test_values(its, rng):
    """Weights are the softmax of the scores over the keys; the output mixes the values."""
    found = _named(its.attention(*_drawn(rng, 4, 4, d_v=4)))
    found |= _named(its.attention(*_drawn(rng, 3, 5, lead=(2, 2))), " of a batch")
    mask = rng.random((3, 6)) < 0.7
    return found | _named(its.attention(*_drawn(rng, 3, 6, d_v=5), mask=mask), " under a mask")


@question("1.4", weight=3, advice=MASKED, read=MASKS, atol=1e-5, rtol=1e-5)
def test_mask(its, rng):
    """Masked keys get weight zero, and the remaining weights sum to one."""
    mask = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]], dtype=bool)
    query, key, value = _drawn(rng, 4, 4)
    return _named(its.attention(query / 10, key, value, mask))  # /10: no score is low


@question("1.4", 2, corner=True, read=MASKS, advice="a row without a key is zero")
def test_row_without_keys(its, rng):
    """A query whose keys are all masked gets zero weights and a zero output."""
    found = _named(its.attention(*_drawn(rng, 2, 2), np.zeros((2, 2), bool)), " without any key")
    for shape in ((4, 5), (1, 4, 5), (2, 3, 4, 5), (3, 1, 5)):
        mask = rng.random(shape) < 0.6
        mask[..., 0] = True
        for number, rows in enumerate(mask.reshape(-1, *shape[-2:])):
            rows[number % shape[-2]] = False
        arrays = _drawn(rng, 4, 5, lead=shape[:-2])
        found |= _named(its.attention(*arrays, mask), f" for a mask of shape {shape}")
    return found


@question("1.4", weight=3, advice="let the mask broadcast to (*batch, n_q, n_k)", read=MASKS)
def test_broadcasting(its, rng):
    """A mask with fewer axes, or with axes of length one, broadcasts over the batch."""
    arrays, found = _drawn(rng, 5, 5, lead=(2, 3)), {}
    padding, causal = np.arange(5) < np.array([3, 5])[:, None], np.tri(5, dtype=bool)
    of_all = np.broadcast_to(causal, (2, 3, 5, 5))
    for mask in (of_all, causal, padding[:, None, None, :], padding[0]):
        found |= _named(its.attention(*arrays, mask), f" for a mask of shape {mask.shape}")
    return found


@question("1.4", corner=True, advice="−∞ must be far below every score", read=READ)
def test_large_scores(its, rng):
    """Scores of many thousands, positive or negative, masked or not, give finite weights."""
    query, key, value = _drawn(rng, 5, 5)
    query = 2e3 * np.abs(query) * [[1], [-1], [1], [-5e-4], [0]]  # query 3: of any key a little
    key = 0.1 + np.abs(key)
    key[2] = 3 + key.max(axis=0)  # by far the best of query 0, which must not attend to it
    query[1] *= 4e4 / np.abs(key @ query[1]).min()  # scores of −20,000 and below
    query[4] = -160 / key.sum(axis=1).max()  # scores of 0 to −80: below 0, but not below −100
    mask = np.array([[1, 1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 1],
                     [1, 1, 0, 1, 1]], bool)  # fmt: skip
    free = _named(its.attention(query, key, value), " without a mask")
    return _named(its.attention(query, key, value, mask)) | free


@question("1.4", corner=True, advice="call `_check_shapes`; no loop over tokens", read=MASKS)
def test_pinned(its, rng):
    """Wrong shapes raise a ValueError that names both; more tokens take no more Python steps."""
    query, key, value = _drawn(rng, 3, 7)
    wrong = (query[:, 1:], key, value), (query, key, value[2:])
    steps = [its.count_steps(its.attention, *_drawn(rng, n, n)) for n in (10, 30)]
    return {
        "narrow queries, few values": [refusal(lambda w=w: its.attention(*w), [7]) for w in wrong],
        "as many instructions for 30 tokens as for 10": steps[1] - steps[0] < 20,
    }

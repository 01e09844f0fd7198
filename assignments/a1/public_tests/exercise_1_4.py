"""The visible checks of exercise 1.4: scaled dot-product attention."""

import numpy as np

from grader.checking.question import question, refusal

QUERY = np.array([[0.0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]])  # the worked example's
KEY = np.array([[0.0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]])
VALUE = np.array([[1.0, 0], [1, 3], [2, 2], [1, 0], [0, 2]])
EQUAL = np.ones((2, 3)), np.ones((3, 3)), np.array([[1.0], [2.0], [6.0]])  # all scores are √3
PINNED = "exercise 1.4, requirements"
BROADCAST = "masked scores must be far below all others; the mask broadcasts to (*batch, n_q, n_k)"
SOME = ["test_worked_example", "test_a_mask_for_a_batch"]


def _named(pair):
    """Weights before the output, because the output follows from them."""
    output, weights = pair
    return {"weights": weights, "output": output}


@question(
    "1.4",
    weight=2,
    advice="weights = softmax(scores); return weights @ value, weights",
    read="§3.2.1, Eq. 1",
)
def test_worked_example(its):
    """Weights and output of the worked 5 × 3 example."""
    return _named(its.attention(QUERY, KEY, VALUE))


@question("1.4", weight=3, advice=BROADCAST, read=PINNED, atol=1e-5, rtol=1e-5)
def test_a_mask_for_a_batch(its):
    """True means "may attend"; a row of a mask is for every query, of one sequence or of all."""
    value = np.array([[[1.0], [2.0], [6.0]], [[3.0], [5.0], [9.0]]])
    query, key, one = np.ones((2, 4, 3)), np.ones((2, 3, 3)), np.array([True, True, False])
    of_each = np.stack([one, ~one])[:, None]
    found = {"all": its.attention(query, key, value, one)}
    found["each"] = its.attention(query, key, value, of_each)
    return {f"{n} for {of}": x for of, pair in found.items() for n, x in _named(pair).items()}


@question("1.4", corner=True, advice="set masked weights to zero, too", read=PINNED)
def test_a_query_without_keys(its):
    """A query whose keys are all masked gets zero weights and a zero output."""
    mask = np.array([[False, False, False], [True, True, False]])
    return _named(its.attention(*EQUAL, mask))


@question("1.4", 2, needs_one_of=SOME, corner=True, advice="call `_check_shapes`", read=PINNED)
def test_wrong_widths(its):
    """Incompatible shapes raise a ValueError that names both."""
    found = {}
    for d_q, d_k, n in ((4, 6, 5), (6, 4, 5), (4, 4, 3), (4, 4, 7)):
        given = np.zeros((3, d_q)), np.zeros((5, d_k)), np.zeros((n, 2))
        named = (3, d_q, 5, d_k) if d_q != d_k else (5, d_k, n)
        called = refusal(lambda given=given: its.attention(*given), named)
        found[f"query (3, {d_q}), key (5, {d_k}), value ({n}, 2)"] = called
    return found


@question(
    "1.4", needs_one_of=SOME, advice="matmul and np.where handle all tokens at once", read=PINNED
)
def test_no_loop(its):
    """No Python loop over tokens: 40 tokens take as many instructions as 10."""
    steps = [its.count_steps(its.attention, *np.ones((3, n, 4))) for n in (10, 40)]
    return {"as many instructions for 40 tokens as for 10": steps[1] - steps[0] < 30}

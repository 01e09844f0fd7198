"""The visible checks of exercise 1.4: scaled dot-product attention."""

import numpy as np

from grader.checking.question import question, refusal

QUERY = np.array([[0.0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]])  # the worked example's
KEY = np.array([[0.0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]])
VALUE = np.array([[1.0, 0], [1, 3], [2, 2], [1, 0], [0, 2]])
EQUAL = np.zeros((2, 3)), np.ones((3, 3)), np.array([[1.0], [2.0], [6.0]])  # all scores are 0
PINNED = "exercise 1.4, what is pinned"
SOME = ["test_worked_example", "test_row_sums", "test_mask_convention"]


def _named(pair):
    """Weights before the output, because the output follows from them."""
    output, weights = pair
    return {"weights": weights, "output": output}


@question("1.4", weight=2, advice="compare with the table, row by row", read="§3.2.1, Eq. 1")
def test_worked_example(its):
    """Weights and output of the worked 5 × 3 example."""
    return _named(its.attention(QUERY, KEY, VALUE))


@question("1.4", advice="the softmax runs over the keys, the last axis", read="§3.2.1")
def test_row_sums(its):
    """The weights of every query sum to one."""
    _, weights = its.attention(QUERY[:3], KEY[1:3], VALUE[1:3])
    return {"sums of the rows": np.sum(weights, axis=-1)}


@question("1.4", advice="mask the scores, before the softmax", read="§3.2.3, last item")
def test_mask_convention(its):
    """In a mask, True means "may attend"; the remaining weights sum to one."""
    return _named(its.attention(*EQUAL, np.array([[True, True, False], [False, True, False]])))


@question("1.4", weight=2, advice="let the mask broadcast to (*batch, n_q, n_k)", read=PINNED)
def test_a_mask_for_a_batch(its):
    """A mask with one row applies to every query of every sequence."""
    value = np.array([[[1.0], [2.0], [6.0]], [[3.0], [5.0], [9.0]]])
    mask = np.array([True, True, False])
    return _named(its.attention(np.zeros((2, 4, 3)), np.ones((2, 3, 3)), value, mask))


@question("1.4", advice="also set masked weights to zero after the softmax", read=PINNED)
def test_a_query_without_keys(its):
    """A query whose keys are all masked gets zero weights and a zero output."""
    mask = np.array([[False, False, False], [True, True, False]])
    return _named(its.attention(*EQUAL, mask))


@question("1.4", beside=SOME, advice="call `_check_shapes(query, key, value)` first", read=PINNED)
def test_wrong_widths(its):
    """Incompatible shapes raise a ValueError that names both."""
    few, many, wide = np.zeros((3, 4)), np.zeros((5, 4)), np.zeros((5, 6))
    return {
        "query (3, 4), key (5, 6)": refusal(lambda: its.attention(few, wide, many), (3, 4, 5, 6)),
        "key (5, 4), value (3, 4)": refusal(lambda: its.attention(few, many, few), (5, 4, 3)),
    }


@question("1.4", beside=SOME, advice="matmul and np.where handle all tokens at once", read=PINNED)
def test_no_loop(its):
    """As many Python instructions for 40 tokens as for 10."""
    steps = [its.count_steps(its.attention, *np.ones((3, n, 4))) for n in (10, 40)]
    return {"as many instructions for 40 tokens as for 10": steps[1] - steps[0] < 30}

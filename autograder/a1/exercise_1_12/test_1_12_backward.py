"""Hidden tests of exercise 1.12: attention's gradients against central differences in float64."""

import numpy as np

from autograder.a1.reference import attention
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.1, Eq. 1; exercise 1.12"
NAMES = ("query", "key", "value")


def _drawn(rng, n_q, n_k, d_k, d_v, lead=()):
    """Random `grad_output`, query, key and value, with the leading axes `lead`."""
    shapes = ((n_q, d_v), (n_q, d_k), (n_k, d_k), (n_k, d_v))
    return [rng.normal(size=(*lead, *shape)) for shape in shapes]


def _differences(grad_output, arrays, mask, step=1e-5):
    """Central differences of (grad_output * attention(…)).sum() in query, key and value."""
    gradients = []
    for index, array in enumerate(arrays):
        shifts = (step * np.eye(array.size)).reshape(array.size, *array.shape)
        losses = []
        for shift in (shifts, -shifts):
            query, key, value = (
                array + shift if i == index else other for i, other in enumerate(arrays)
            )
            product = grad_output * attention(query, key, value, mask)[0]
            losses.append(product.reshape(array.size, -1).sum(axis=1))
        gradients.append(((losses[0] - losses[1]) / (2 * step)).reshape(array.shape))
    return gradients


def _mistaken(grad_output, query, key, value, mask):
    """Gradients that likely mistakes would give: argument → cause → gradient."""
    root = np.sqrt(query.shape[-1])
    weights = attention(query, key, value, mask)[1]
    by_weights = grad_output @ np.swapaxes(value, -1, -2)

    def back(own, divisor=root):
        return {
            "query": own @ key / divisor,
            "key": np.swapaxes(own, -1, -2) @ query / divisor,
        }

    product = weights * by_weights
    right = product - weights * product.sum(axis=-1, keepdims=True)
    columns = product - weights * product.sum(axis=-2, keepdims=True)
    causes = {
        MISTAKE.backward_not_scaled: back(right, 1.0),
        MISTAKE.backward_divided_by_d_k: back(right, root**2),
        MISTAKE.backward_no_row_sum: (back(product)),
        MISTAKE.backward_sum_over_queries: (back(columns)),
        MISTAKE.backward_softmax_derivative_missing: back(by_weights),
    }
    if query.shape == key.shape:
        causes[MISTAKE.backward_key_untransposed] = {"key": right @ query / root}
        causes[MISTAKE.backward_value_untransposed] = {"value": weights @ grad_output}
    return {
        name: {cause: found[name] for cause, found in causes.items() if name in found}
        for name in NAMES
    }


def _compare(student, drawn, mask=None, what=""):
    """Compare with finite differences: first the value's gradient, then the query's and key's."""
    grad_output, query, key, value = drawn
    got = expect.parts(
        student.attention_backward(grad_output, query, key, value, mask), 3,
        otherwise="return the gradients of query, key and value", read=READ,
    )  # fmt: skip
    arrays = (query, key, value)
    want = _differences(grad_output, arrays, mask)
    mistaken = _mistaken(grad_output, query, key, value, mask)
    if mask is not None:
        unmasked = _differences(grad_output, arrays, None)
        for name, gradient in zip(NAMES, unmasked, strict=True):
            mistaken[name] = {
                MISTAKE.backward_mask_ignored: gradient,
                MISTAKE.backward_empty_row_nan: (np.full(gradient.shape, np.nan)),
            } | mistaken[name]
    for index in (2, 0, 1):
        name = NAMES[index]
        expect.close(
            got[index], want[index], atol=1e-5, rtol=1e-4, read=READ,
            what=f"the gradient of {name}{what}",
            otherwise="go backwards step by step: output, weights, softmax, scores",
        )  # fmt: skip


@exercise("1.12")
def test_contract(student, rng):
    """Three gradients with the shapes of query, key and value; no argument is written into."""
    arrays = _drawn(rng, 3, 5, 4, 2)
    called = student.call(student.attention_backward, *arrays)
    parts = expect.parts(
        called.value, 3, otherwise="return the gradients of query, key and value", read=READ
    )
    for name, got, array in zip(NAMES, parts, arrays[1:], strict=True):
        expect.shape(got, array.shape, what=f"the gradient of {name}", read=READ,
                     otherwise="a gradient has the shape of its argument")  # fmt: skip
    expect.unchanged(called.changed)


@exercise("1.12", weight=2)
def test_square_shapes(student, rng):
    """Four queries and four keys of width four, where no mistake raises a shape error."""
    _compare(student, _drawn(rng, 4, 4, 4, 4))


@exercise("1.12", weight=2)
def test_cross_shapes(student, rng):
    """Three queries, five keys, d_k = 4, d_v = 2."""
    _compare(student, _drawn(rng, 3, 5, 4, 2))


@exercise("1.12", weight=2)
def test_masks(student, rng):
    """Under a mask, no gradient flows through a masked pair or a query without keys."""
    arrays = _drawn(rng, 4, 4, 3, 2)
    _compare(student, arrays, mask=np.tri(4, dtype=bool), what=" under a causal mask")
    mask = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]], dtype=bool)
    _compare(student, arrays, mask=mask, what=" with an empty row in the mask")


@exercise("1.12")
def test_batch(student, rng):
    """Each sequence of a batch gets its own gradients."""
    _compare(student, _drawn(rng, 3, 4, 2, 2, lead=(2, 2)), what=" in a batch")


@exercise("1.12")
def test_equal_keys(student, rng):
    """With equal values no score matters: query and key get zero. A zero grad_output gives zero."""
    grad_output, query, key, value = _drawn(rng, 3, 4, 2, 2)
    value = np.repeat(value[:1], 4, axis=0)
    for scale in (1.0, 0.0):
        got = expect.parts(
            student.attention_backward(scale * grad_output, query, key, value), 3, read=READ
        )
        for name, gradient, array in zip(NAMES[:2], got, (query, key), strict=False):
            expect.close(
                gradient, np.zeros(array.shape), atol=1e-5, read=READ,
                what=f"the gradient of {name} when all values are equal",
                otherwise="whatever the weights are, the output is the same: "
                "the row's weighted sum must cancel",
            )  # fmt: skip

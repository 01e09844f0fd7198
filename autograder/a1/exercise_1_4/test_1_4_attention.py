"""Hidden tests of exercise 1.4: scaled dot-product attention with masks."""

import re

import numpy as np

from autograder.a1.reference import attention, scaled_scores, softmax
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import StudentError

MISTAKE = known_mistakes(__file__)

READ = "§3.2.1, Eq. 1"
MASKS = "§3.2.3, last item; exercise 1.4, what is pinned"
ORDER = "return the output and the weights, in this order"


def _drawn(rng, n_q, n_k, d_k=4, d_v=3, lead=()):
    return [rng.normal(size=(*lead, *s)) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v))]


def _attend(student, *args):
    return expect.parts(student.attention(*args), 2, otherwise=ORDER, read=READ)


@exercise("1.4")
def test_contract(student, rng):
    """Output (n_q, d_v) and weights (n_q, n_k), in this order; no argument is written into."""
    arrays = _drawn(rng, 3, 6, d_k=4, d_v=5)
    mask = rng.random((3, 6)) < 0.7
    called = student.call(student.attention, *arrays, mask=mask)
    output, weights = expect.parts(called.value, 2, otherwise=ORDER, read=READ)
    exchanged = np.shape(output) == (3, 6) and np.shape(weights) == (3, 5)
    expect.shape(
        output, (3, 5), what="the output", otherwise="one vector of width d_v per query", read=READ,
    )  # fmt: skip
    expect.shape(weights, (3, 6), what="the weights", otherwise="one row per query", read=READ)
    expect.unchanged(called.changed)


@exercise("1.4", weight=2)
def test_values(student, rng):
    """Weights are the softmax of the scores over the keys; the output mixes the values."""
    query, key, value = _drawn(rng, 4, 4, d_k=4, d_v=4)
    scores = scaled_scores(query, key)
    want, want_weights = attention(query, key, value)
    output, weights = _attend(student, query, key, value)
    causal = attention(query, key, value, np.tri(4, dtype=bool))[1]
    expect.close(
        weights, want_weights, atol=1e-5, what="weights", read=READ,
        otherwise="softmax(QKᵀ/√d_k) along the last axis",
    )  # fmt: skip
    expect.close(
        output, want, atol=1e-5, what="output", read=READ,
        otherwise="the weights are correct: multiply them by the values",
    )  # fmt: skip


@exercise("1.4", weight=2)
def test_mask(student, rng):
    """Masked keys get weight zero, and the remaining weights sum to one."""
    query, key, value = _drawn(rng, 4, 4)
    mask = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]], dtype=bool)
    scores = scaled_scores(query, key)
    output, weights = _attend(student, query, key, value, mask)
    want, want_weights = attention(query, key, value, mask)
    expect.close(
        weights, want_weights, atol=1e-5, what="weights", read=MASKS,
        otherwise="set masked scores to a large negative number before the softmax",
    )  # fmt: skip
    expect.close(
        output, want, atol=1e-5, what="output", read=MASKS,
        otherwise="the weights are correct: output = weights @ value",
    )  # fmt: skip


@exercise("1.4")
def test_causality(student, rng):
    """Under a causal mask, changing later tokens does not change earlier outputs."""
    arrays = _drawn(rng, 6, 6)
    mask = np.tri(6, dtype=bool)
    before, _ = _attend(student, *arrays, mask)
    for array in arrays:
        array[3:] = rng.normal(scale=5.0, size=array[3:].shape)
    after, _ = _attend(student, *arrays, mask)
    expect.close(
        after[:3], before[:3], atol=1e-5, read=MASKS,
        what="output of tokens 0 to 2 after tokens 3 to 5 changed",
        otherwise="a token attends to keys that its mask row forbids",
    )  # fmt: skip
    expect.above(
        float(np.abs(after[3:] - before[3:]).max()), 1e-3,
        expected="new outputs for tokens 3 to 5", got="the same as before",
        otherwise="the mask also hides the current and earlier tokens", read=MASKS,
    )  # fmt: skip


def _with_empty_rows(rng, shape):
    """A mask in which each sentence has other rows without a key."""
    mask = rng.random(shape) < 0.6
    mask[..., 0] = True
    for number, rows in enumerate(mask.reshape(-1, *shape[-2:])):
        rows[number % shape[-2]] = False
    return mask


@exercise("1.4", weight=2)
def test_row_without_keys(student, rng):
    """A query whose keys are all masked gets zero weights and a zero output."""
    query, key, value = _drawn(rng, 4, 5)
    mask = np.array([[1, 1, 0, 1, 0], [0] * 5, [1] * 5, [0] * 5], dtype=bool)
    want, want_weights = attention(query, key, value, mask)
    rows = ~mask.any(axis=-1, keepdims=True)
    output, weights = _attend(student, query, key, value, mask)
    expect.close(
        weights, want_weights, atol=1e-5, what="weights", read=MASKS,
        otherwise="rows 1 and 3 must be zero, and the other rows unaffected",
    )  # fmt: skip
    expect.close(
        output, want, atol=1e-5, what="output", read=MASKS,
        otherwise="zero weights times the values give a zero output",
    )  # fmt: skip
    one, many = _with_empty_rows(rng, (1, 4, 5)), _with_empty_rows(rng, (2, 3, 4, 5))
    for mask, mistake in (
        (one, MISTAKE.attention_empty_row_in_2d_alone),
        (many, MISTAKE.attention_empty_row_in_a_batch),
        (many[0, :, :1], MISTAKE.attention_empty_row_in_a_batch),
    ):
        query, key, value = _drawn(rng, 4, 5, lead=mask.shape[:-2])
        want, want_weights = attention(query, key, value, mask)
        uniform = np.where(mask.any(axis=-1, keepdims=True), want_weights, 1 / 5)
        output, weights = _attend(student, query, key, value, mask)
        where = f"of a batch with a mask of shape {mask.shape}"
        expect.close(
            weights, want_weights, atol=1e-5, what=f"weights {where}", read=MASKS,
            otherwise="each row without a key must be zero, whatever the other rows have",
        )  # fmt: skip
        expect.close(
            output, want, atol=1e-5, what=f"output {where}", otherwise="weights @ value", read=READ
        )


@exercise("1.4")
def test_broadcasting(student, rng):
    """A mask with fewer axes, or with axes of length one, broadcasts over the batch."""
    query, key, value = _drawn(rng, 5, 5, lead=(2, 3))
    padding = np.arange(5) < np.array([3, 5])[:, None]
    causal = np.tri(5, dtype=bool)
    ignored = "the mask is ignored, even one of the same shape as the scores"
    for mask in (np.broadcast_to(causal, (2, 3, 5, 5)), causal, padding[:, None, None, :],
                 padding[0]):  # fmt: skip
        by_index = {
            MISTAKE.attention_mask_by_index: (lambda mask=mask: scaled_scores(query, key)[~mask])
        }
        expected = f"weights of shape (2, 3, 5, 5) for a mask of shape {mask.shape}"
        output, weights = _attend(student, query, key, value, mask)
        want, want_weights = attention(query, key, value, mask)
        name = f"of a (2, 3) batch with a mask of shape {mask.shape}"
        expect.close(
            weights, want_weights, atol=1e-5, what=f"weights {name}", read=MASKS,
            otherwise="let the mask broadcast to (*batch, n_q, n_k)",
        )  # fmt: skip
        expect.close(
            output, want, atol=1e-5, what=f"output {name}", otherwise="weights @ value", read=READ
        )
        ignored = MISTAKE.attention_mask_only_of_own_shape


@exercise("1.4", beside=["test_values", "test_mask", "test_contract"])
def test_wrong_shapes(student):
    """Incompatible shapes raise a ValueError that names both."""
    shapes = [
        ("query and key", [(5, 11), (7, 13), (7, 3)]),
        ("key and value", [(5, 11), (7, 11), (8, 3)]),
        ("query and key", [(5, 13), (7, 11), (7, 3)]),
        ("key and value", [(5, 11), (8, 11), (7, 3)]),
    ]
    one_way = {
        2: MISTAKE.attention_widths_checked_one_way,
        3: MISTAKE.attention_counts_checked_one_way,
    }
    for number, (pair, three) in enumerate(shapes):
        wrong = three[:2] if pair == "query and key" else three[1:]
        arrays = [np.ones(shape) for shape in three]
        because = ""
        try:
            value = student.attention(*arrays)
        except StudentError as error:
            if error.kind.isupper():
                raise
            got = f"{error.kind}: {error.message}"
            numbers = {int(number) for number in re.findall(r"\d+", error.message)}
            named = error.kind == "ValueError" and numbers >= {n for shape in wrong for n in shape}
            if "matmul" in error.message or "einsum" in error.message:
                unchecked = f"the shapes of {pair} are not checked: this is NumPy's own error"
                because = one_way.get(number, MISTAKE.saying(unchecked))
        else:
            got, named = f"no error, but a {type(value).__name__}", False
        expect.true(
            named, expected=f"a ValueError that names {wrong[0]} and {wrong[1]}", got=got,
            because=because, read="exercise 1.4, what is pinned",
            otherwise=f"compare the shapes of {pair} first, and put both into the message",
        )  # fmt: skip


@exercise("1.4")
def test_large_scores(student, rng):
    """Scores of many thousands, positive or negative, masked or not, give finite weights."""
    query, key, value = _drawn(rng, 5, 5)
    query = 2e3 * np.abs(query) * [[1], [-1], [1], [-5e-4], [0]]  # query 3: of any key a little
    key = 0.1 + np.abs(key)
    key[2] = 3 + key.max(axis=0)  # by far the best of query 0, which must not attend to it
    query[1] *= 4e4 / np.abs(key @ query[1]).min()  # scores of −20,000 and below
    query[4] = -160 / key.sum(axis=1).max()  # scores of 0 to −80: below 0, but not below −100
    mask = np.array([[1, 1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 1],
                     [1, 1, 0, 1, 1]], bool)  # fmt: skip
    scores = scaled_scores(query, key)
    with np.errstate(all="ignore"):
        e = np.exp(np.where(mask, scores, -np.inf))
        naive = e / e.sum(axis=-1, keepdims=True)
        late = softmax(scores) * mask
        renormalised = np.nan_to_num(late / late.sum(axis=-1, keepdims=True))
    output, weights = _attend(student, query, key, value, mask)
    want, want_weights = attention(query, key, value, mask)
    expect.close(
        weights, want_weights, atol=1e-4, what="weights", read=READ,
        otherwise="the number used for −∞ must be far below every score",
    )  # fmt: skip
    expect.close(output, want, atol=1e-3, what="output", otherwise="weights @ value", read=READ)


@exercise("1.4", weight=0.5, beside=["test_values", "test_mask", "test_row_without_keys"])
def test_no_loop_over_tokens(student, rng):
    """The number of Python instructions does not grow with the number of tokens."""
    short, long = 8, 32
    steps = [
        student.count_steps(student.attention, *_drawn(rng, n, n), mask=np.tri(n, dtype=bool))
        for n in (short, long)
    ]
    expect.below(
        steps[1] - steps[0],
        long - short - 1,
        expected=f"as many instructions for {long} tokens as for {short}",
        got=f"{steps[1]} instead of {steps[0]}",
        read="exercise 1.4, speed",
    )

"""The visible checks of assignment 1: what `check("A1.4")` runs in a notebook.

Values are written in or follow from a property. The hidden suite adds fresh inputs, edge cases
and the pinned conventions of the handout.
"""

import math

import numpy as np

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# The worked example of the handout: five tokens of width 3, d_k = 3, d_v = 2.
TOKENS = ["the", "cat", "ate", "a", "mouse"]
X = np.array([[1, 0, 0], [0, 2, 1], [0, 0, 2], [1, 0, 0], [0, 2, 0]], dtype=float)
W_Q = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
W_K = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]], dtype=float)
W_V = np.array([[1, 0], [0, 1], [1, 1]], dtype=float)
QUERY = np.array([[0, 1, 0], [2, 1, 0], [0, 2, 0], [0, 1, 0], [2, 0, 0]], dtype=float)
KEY = np.array([[0, 0, 1], [1, 2, 0], [2, 0, 0], [0, 0, 1], [0, 2, 0]], dtype=float)
VALUE = np.array([[1, 0], [1, 3], [2, 2], [1, 0], [0, 2]], dtype=float)

A = math.exp(2 / math.sqrt(3))  # a score of 2 and one of 4, after the division and the exponential
B = A * A
NUMERATORS = np.array([[1, A, 1, 1, A], [1, B, B, 1, A], [1, B, 1, 1, B], [1, A, 1, 1, A],
                       [1, A, B, 1, 1]])
WORKED_WEIGHTS = NUMERATORS / NUMERATORS.sum(axis=1, keepdims=True)
BUGS = ("not-scaled", "keys-score-queries", "softmax-over-queries", "mask-after-softmax",
        "one-maximum", "empty-row-mean")


# ------------------------------------------------------------------------------- 1.1


@exercise("1.1")
def test_three_values(student):
    """Three values: softmax of ln 1, ln 2, ln 3 is 1/6, 2/6, 3/6."""
    expect.close(
        student.softmax(np.log([1.0, 2.0, 3.0])), np.array([1, 2, 3]) / 6,
        causes={"the exponentials are not divided by their sum": [1.0, 2.0, 3.0],
                "the inputs are divided by their sum without the exponential":
                    np.log([1, 2, 3]) / np.log(6)},
        otherwise="exponentiate every entry, then divide by the sum of the exponentials",
        read="§3.2.1, Eq. 1",
    )


@exercise("1.1")
def test_shift(student):
    """A shift of all inputs by 1000 changes nothing."""
    e = np.exp([0.0, 1.0, 2.0])
    expect.close(
        student.softmax(np.array([1000.0, 1001.0, 1002.0])), e / e.sum(),
        causes={"exp(1000) overflows to ∞, and ∞/∞ is NaN: take the maximum off first":
                    [np.nan] * 3},
        otherwise="softmax(x + c) equals softmax(x): which c keeps every exponent at or below 0?",
        read="exercise 1.1, the trap",
    )


@exercise("1.1")
def test_default_axis(student):
    """Without `axis`, every row of a matrix is a distribution of its own."""
    x = np.log([[1.0, 3.0], [1.0, 1.0]])
    expect.close(
        student.softmax(x), [[1 / 4, 3 / 4], [1 / 2, 1 / 2]],
        causes={"summed over the columns: the default axis is the last one":
                    [[1 / 2, 3 / 4], [1 / 2, 1 / 4]],
                "summed over all entries: give the sum the axis": [[1 / 6, 3 / 6], [1 / 6, 1 / 6]]},
        otherwise="sum along `axis`, with keepdims=True so that the division lines up",
        read="§3.2.1, Eq. 1",
    )


@exercise("1.1")
def test_first_axis(student):
    """With `axis=0`, every column is a distribution of its own."""
    x = np.log([[1.0, 3.0], [1.0, 1.0]])
    expect.close(
        student.softmax(x, axis=0), [[1 / 2, 3 / 4], [1 / 2, 1 / 4]],
        causes={"the rows sum to one, whatever `axis` says": [[1 / 4, 3 / 4], [1 / 2, 1 / 2]],
                "summed over all entries: give the sum the axis": [[1 / 6, 3 / 6], [1 / 6, 1 / 6]]},
        otherwise="both the maximum and the sum run along `axis`", read="§3.2.1, Eq. 1",
    )


@exercise("1.1")
def test_rows_of_different_height(student):
    """One row near 0 and one near 1000: both are distributions."""
    expect.close(
        student.softmax(np.array([[0.0, 0.0], [1000.0, 1000.0]])), np.full((2, 2), 0.5),
        causes={"one maximum for the whole array: e^-1000 is 0, and 0/0 is NaN":
                    [[np.nan, np.nan], [0.5, 0.5]],
                "exp(1000) overflows: take the maximum of each row off first":
                    [[0.5, 0.5], [np.nan, np.nan]]},
        otherwise="take the maximum along `axis`, with keepdims=True",
        read="exercise 1.1, the trap",
    )


@exercise("1.1")
def test_wide_row(student):
    """Two entries of a row lie 2000 apart: the weights are 0 and 1."""
    expect.close(
        student.softmax(np.array([0.0, 2000.0])), [0.0, 1.0],
        causes={"exp overflows still: which value must become 0?": [0.0, np.nan]},
        otherwise="softmax(x + c) equals softmax(x): which c keeps every exponent at or below 0?",
        read="exercise 1.1, the trap",
    )


@exercise("1.1")
def test_integers(student):
    """Integers are allowed as input, and the weights are no integers."""
    expect.close(
        student.softmax(np.array([[7, 7], [-1, -1]])), np.full((2, 2), 0.5),
        causes={"the weights are cut to integers: the result is stored in an array of x's dtype":
                    np.zeros((2, 2))},
        otherwise="do not write into an array of x's own dtype", read="exercise 1.1",
    )


@exercise("1.1")
def test_argument_stays(student):
    """The caller's array is left as it was."""
    call = student.call(student.softmax, np.array([[1.0, 2.0], [3.0, 5.0]]))
    expect.unchanged(call.changed)
    expect.shape(call.value, (2, 2), what="the weights")


# ------------------------------------------------------------------------------- 1.2


def _transposed(x, *weights):
    return {
        f"the weight is transposed: {name} is (d_model, width), so x @ {name}":
            lambda weight=weight: x @ weight.T
        for name, weight in zip(("w_q", "w_k", "w_v"), weights, strict=True)
    }


@exercise("1.2")
def test_shapes_of_five_tokens(student, rng):
    """Five tokens of width 512 give 5 × 64 queries, 5 × 64 keys and 5 × 32 values."""
    x, w_q, w_k, w_v = (rng.normal(size=s) for s in [(5, 512), (512, 64), (512, 64), (512, 32)])
    with expect.raising(_transposed(x, w_q, w_k, w_v), read="§3.2.2"):
        projected = student.project_qkv(x, w_q, w_k, w_v)
    projected = expect.parts(projected, 3, otherwise="return query, key, value")
    for name, got, width in zip(("query", "key", "value"), projected, (64, 64, 32), strict=True):
        expect.shape(got, (5, width), what=f"the {name}", read="§3.2.2",
                     otherwise=f"the {name} is x times its own weight, (5, 512) @ (512, {width})"
                     )


@exercise("1.2")
def test_worked_projections(student):
    """Queries, keys and values of the worked 5 × 3 example."""
    with expect.raising(_transposed(X, W_Q, W_K, W_V), read="§3.2.2"):
        projected = student.project_qkv(X, W_Q, W_K, W_V)
    projected = expect.parts(projected, 3, otherwise="return query, key, value")
    query, key, value = projected
    expect.close(
        query, QUERY, what="query", read="§3.2.2", otherwise="the query is x @ w_q",
        causes={"x is multiplied with the transposed weight": X @ W_Q.T, "this is the key": KEY},
    )
    expect.close(
        key, KEY, what="key", read="§3.2.2", otherwise="the key is x @ w_k",
        causes={"this is the query": QUERY, "this is the value": VALUE},
    )
    expect.close(
        value, VALUE, what="value", read="§3.2.2", otherwise="the value is x @ w_v",
        causes={"this is the key": KEY},
    )


@exercise("1.2")
def test_a_batch_stays_a_batch(student):
    """Two sequences in a batch keep their axis."""
    batch = np.stack([X, 2 * X])
    projected = expect.parts(
        student.project_qkv(batch, W_Q, W_K, W_V), 3, otherwise="return query, key, value"
    )
    for name, got, want in zip(("query", "key", "value"), projected, (QUERY, KEY, VALUE),
                               strict=True):
        expect.close(
            got, np.stack([want, 2 * want]), what=f"{name} of a batch of two", read="exercise 1.2",
            causes={"the batch is flattened into one sequence": np.concatenate([want, 2 * want])},
            otherwise="matmul leaves leading axes alone: x @ w",
        )


# ------------------------------------------------------------------------------- 1.3


@exercise("1.3")
def test_two_by_two(student):
    """Two queries and two keys of width 4: four scores."""
    query = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, -1.0]])
    key = np.array([[2.0, 0.0, 1.0, 2.0], [1.0, 1.0, 1.0, 1.0]])
    dots = np.array([[4.0, 4.0], [1.0, 3.0]])
    with expect.raising({"the keys are not transposed": lambda: query @ key}):
        scores = student.scaled_scores(query, key)
    expect.close(
        scores, dots / 2,
        causes={"the dot products are right but not divided by √d_k": dots,
                "divided by d_k = 4 instead of √d_k = 2": dots / 4,
                "divided by √2, the root of a number of tokens: d_k is the width": dots / 2**0.5,
                "rows and columns are exchanged: row i belongs to query i": dots.T / 2},
        otherwise="multiply the queries with the transposed keys, then divide by √d_k",
        read="§3.2.1, Eq. 1",
    )


@exercise("1.3")
def test_a_batch(student):
    """Two sequences at once: each scores only its own keys."""
    # One query, four keys of width four: untransposed keys fit, and all axes reversed do not.
    query = np.array([[[1.0, 0.0, 0.0, 0.0]], [[2.0, 2.0, 0.0, 0.0]]])
    key = np.stack([np.arange(16.0).reshape(4, 4), np.eye(4)])
    reversed_axes = "`.T` reverses all axes, the batch too: exchange the last two only"
    with expect.raising({reversed_axes: lambda: query @ key.T}, read="exercise 1.3, the trap"):
        scores = student.scaled_scores(query, key)
    expect.close(
        scores, [[[0.0, 2.0, 4.0, 6.0]], [[1.0, 1.0, 0.0, 0.0]]],
        causes={"the keys are not transposed": query @ key / 2},
        otherwise="transpose only the last two axes of the keys (`.T` reverses all of them)",
        read="exercise 1.3",
    )


# ------------------------------------------------------------------------------- 1.4


def _attend(student, *args):
    return expect.parts(
        student.attention(*args), 2, otherwise="return the output and the weights, in this order"
    )


@exercise("1.4")
def test_worked_example(student):
    """Weights and output of the worked 5 × 3 example."""
    output, weights = _attend(student, QUERY, KEY, VALUE)
    dots = QUERY @ KEY.T
    columns, unscaled = np.exp(dots / math.sqrt(3)), np.exp(dots)
    expect.close(
        weights, WORKED_WEIGHTS, what="weights", read="§3.2.1, Eq. 1; the worked example",
        causes={"these are the scores: the softmax is missing": dots / math.sqrt(3),
                "the columns sum to one: the softmax runs over the queries, not over the keys":
                    columns / columns.sum(axis=0),
                "the scores are not divided by √d_k":
                    unscaled / unscaled.sum(axis=1, keepdims=True),
                "output and weights are exchanged": WORKED_WEIGHTS @ VALUE},
        otherwise="compare with the table of the worked example, row by row",
    )
    expect.close(
        output, WORKED_WEIGHTS @ VALUE, what="output", read="§3.2.1, Eq. 1; the worked example",
        causes={"the keys are mixed instead of the values": WORKED_WEIGHTS @ KEY,
                "the weights are transposed": WORKED_WEIGHTS.T @ VALUE},
        otherwise="the weights are right: the output is their product with the values",
    )


@exercise("1.4")
def test_row_sums(student, rng):
    """The weights of every query sum to one."""
    _, weights = _attend(
        student, rng.normal(size=(3, 4)), rng.normal(size=(6, 4)), rng.normal(size=(6, 2))
    )
    expect.shape(weights, (3, 6), what="weights", otherwise="one row a query, one column a key")
    expect.close(
        np.asarray(weights).sum(axis=-1), np.ones(3), what="row sums",
        otherwise="the softmax runs over the keys, the last axis", read="§3.2.1",
    )


@exercise("1.4")
def test_mask_convention(student):
    """In a mask, True means "may attend"; what is left is a distribution again."""
    query, key = np.zeros((2, 3)), np.ones((3, 3))  # all scores are equal
    value = np.array([[1.0], [2.0], [6.0]])
    mask = np.array([[True, True, False], [False, True, False]])
    output, weights = _attend(student, query, key, value, mask)
    third = 1 / 3
    expect.close(
        weights, [[0.5, 0.5, 0], [0, 1, 0]], what="weights", read="§3.2.3, last item",
        causes={"the mask is ignored": np.full((2, 3), third),
                "the mask is inverted: True means may attend": [[0, 0, 1], [0.5, 0, 0.5]],
                "masked after the softmax: the rows no longer sum to one":
                    [[third, third, 0], [0, third, 0]]},
        otherwise="masked scores must be hugely negative before the softmax",
    )
    expect.close(
        output, [[1.5], [2.0]], what="output", otherwise="mix the values with the masked weights"
    )


@exercise("1.4")
def test_a_mask_for_a_batch(student):
    """A mask with one row serves every query of every sequence."""
    query, key = np.zeros((2, 2, 3)), np.ones((2, 3, 3))
    value = np.array([[[1.0], [2.0], [6.0]], [[3.0], [5.0], [9.0]]])
    mask = np.array([True, True, False])
    by_index = {"`scores[~mask] = …` needs a mask of the scores' own shape; np.where broadcasts":
                lambda: np.zeros((2, 2, 3))[~mask]}
    with expect.raising(by_index, read="exercise 1.4, what is pinned"):
        got = student.attention(query, key, value, mask)
    output, weights = expect.parts(got, 2, otherwise="return the output and the weights")
    expect.close(
        weights, np.tile([0.5, 0.5, 0.0], (2, 2, 1)), what="weights of a batch",
        causes={"the mask is ignored": np.full((2, 2, 3), 1 / 3)},
        otherwise="let the mask broadcast to (*batch, n_q, n_k)",
        read="exercise 1.4, what is pinned",
    )
    expect.close(output, [[[1.5], [1.5]], [[4.0], [4.0]]], what="output of a batch",
                 otherwise="mix each sequence's own values")


@exercise("1.4")
def test_a_query_without_keys(student):
    """Where every key is masked, weights and output are zero."""
    query, key, value = np.zeros((2, 3)), np.ones((3, 3)), np.array([[1.0], [2.0], [6.0]])
    mask = np.array([[False, False, False], [True, True, False]])
    output, weights = _attend(student, query, key, value, mask)
    expect.close(
        weights, [[0, 0, 0], [0.5, 0.5, 0]], what="weights", read="exercise 1.4, the traps",
        causes={"softmax of a row of −∞ alone is 0/0: give such a row zeros":
                    [[np.nan] * 3, [0.5, 0.5, 0]],
                "a row that is masked as a whole gets equal weights: give it zeros":
                    [[1 / 3] * 3, [0.5, 0.5, 0]]},
        otherwise="set the weights to zero where the mask forbids, after the softmax too",
    )
    expect.close(
        output, [[0.0], [1.5]], what="output", read="exercise 1.4, the traps",
        causes={"the output is mixed before the weights of such a row become zero": [[3.0], [1.5]],
                "the output of such a row is NaN": [[np.nan], [1.5]]},
        otherwise="zero weights times the values give a zero output",
    )


@exercise("1.4")
def test_wrong_widths(student):
    """Shapes that do not fit: a ValueError that names both."""
    for first, second, shapes in (
        ("query", "key", [(3, 4), (5, 6), (5, 2)]), ("key", "value", [(3, 4), (5, 4), (7, 2)]),
    ):
        wrong = shapes[:2] if first == "query" else shapes[1:]
        expect.raises(
            lambda shapes=shapes: student.attention(*map(np.zeros, shapes)),
            "ValueError", mentions=[str(shape) for shape in wrong],
            because=f"{first} and {second} do not fit, and nothing stops them",
            otherwise=f'compare {first} and {second} first, and raise '
            f'ValueError(f"… {{{first}.shape}} … {{{second}.shape}} …")',
            read="exercise 1.4, what is pinned",
        )


@exercise("1.4")
def test_no_loop(student, rng):
    """As many Python instructions for 40 tokens as for 10."""
    steps = [
        student.count_steps(student.attention, *rng.normal(size=(3, n, 4))) for n in (10, 40)
    ]
    expect.below(
        steps[1] - steps[0], 29, expected="as many instructions for 40 tokens as for 10",
        got=f"{steps[1]} after {steps[0]}", read="exercise 1.4, what is pinned",
        because="a Python loop over the tokens: matmul and np.where treat all of them at once",
    )


# ------------------------------------------------------------------------------- 1.5


def _layer(student, seed, **sizes):
    return student.SelfAttention(rng=student.make(f"np.random.default_rng({seed})"), **sizes)


@exercise("1.5")
def test_two_seeds(student):
    """Generators with the same seed make the same layer, with different seeds different ones."""
    x = np.arange(12.0).reshape(3, 4) / 10
    first, again, other = (
        expect.parts(_layer(student, seed, d_model=4)(x), 2, otherwise="return output, weights")[0]
        for seed in (0, 0, 1)
    )
    expect.close(again, first, what="the output of a second layer made with default_rng(0)",
                 otherwise="draw every weight from `rng`, and nothing from anywhere else"
                 )
    expect.above(
        float(np.abs(np.asarray(other) - np.asarray(first)).max()), 1e-4,
        expected="another layer from default_rng(1)", got="the same output",
        because="the weights are the same whatever `rng` is", read="exercise 1.5",
    )


@exercise("1.5")
def test_layer_shapes(student):
    """Weights and output have the sizes asked for; three projections, not one."""
    layer = _layer(student, 0, d_model=8, d_k=4, d_v=3)
    for name, width in (("w_q", 4), ("w_k", 4), ("w_v", 3)):
        expect.shape(layer.get(name), (8, width), what=name, read="§3.2.2",
                     causes={"transposed: x @ w needs (d_model, width)": (width, 8)},
                     otherwise="w_q and w_k are (d_model, d_k), w_v is (d_model, d_v)"
                     )
    apart = np.abs(np.asarray(layer.get("w_q")) - np.asarray(layer.get("w_k"))).max()
    expect.above(
        float(apart), 1e-3, expected="w_k different from w_q", got="the same numbers in both",
        because="one matrix serves as w_q and w_k: draw each from the same generator",
        read="§3.2.2",
    )
    output, weights = expect.parts(layer(np.ones((5, 8))), 2, otherwise="return output, weights")
    expect.shape(output, (5, 3), what="the output", otherwise="one vector of width d_v a token")
    expect.shape(weights, (5, 5), what="the weights", otherwise="one row a query, one column a key")


@exercise("1.5")
def test_default_widths(student):
    """d_k and d_v are d_model when they are not given."""
    layer = _layer(student, 3, d_model=6)
    for name in ("w_q", "w_k", "w_v"):
        expect.shape(layer.get(name), (6, 6), what=name, read="exercise 1.5",
                     otherwise="None stands for d_model, in d_k as in d_v"
                     )


@exercise("1.5")
def test_the_mask_is_passed_on(student):
    """Under a causal mask the first token attends to itself alone."""
    x = np.arange(12.0).reshape(3, 4) / 10
    mask = np.tri(3, dtype=bool)
    layer = _layer(student, 0, d_model=4)
    _, free = expect.parts(layer(x), 2, otherwise="return output, weights")
    _, weights = expect.parts(layer(x, mask), 2, otherwise="return output, weights")
    allowed = np.where(mask, free, 0.0)
    expect.close(
        weights, allowed / allowed.sum(axis=-1, keepdims=True), atol=1e-5,
        what="weights under a causal mask",
        causes={"the layer ignores its mask": free},
        otherwise="attention(query, key, value, mask)", read="exercise 1.5",
    )


@exercise("1.5")
def test_no_twins(student):
    """Without `rng`, two layers differ, and NumPy's global generator is left alone."""
    state = "(lambda s: [s[1].copy(), s[2]])(np.random.get_state())"
    keys, position = student.make(state).get()
    first, second = (np.asarray(student.SelfAttention(4).get("w_q")) for _ in range(2))
    keys_after, position_after = student.make(state).get()
    expect.true(
        np.array_equal(keys, keys_after) and position == position_after,
        expected="NumPy's global generator as it was", got="another state",
        because="the global generator is seeded or drawn from: use np.random.default_rng()",
        read="exercise 1.5",
    )
    expect.above(
        float(np.abs(first - second).max()), 1e-3, expected="two layers with weights of their own",
        got="the same w_q in both", otherwise="draw every weight from the generator",
        because="a seed stands where a fresh generator should" if np.ptp(first) > 0 else "",
        read="exercise 1.5, the trap",
    )


# ------------------------------------------------------------------------------- 1.6


def _heat_map(student, *args, **kwargs):
    axes = student.plot_attention(*args, **kwargs)
    expect.true(hasattr(axes, "axes"), expected="a matplotlib Axes", got=repr(axes),
                because="nothing is returned: end with `return ax`" if axes is None else "",
                otherwise="end the function with `return ax`")
    with expect.raising(expected="a matplotlib Axes", otherwise="end with `return ax`"):
        shown = axes.axes()
    expect.true(len(shown["images"]) == 1, expected="one image in the Axes",
                got=f"{len(shown['images'])} images", otherwise="draw with ax.imshow(weights, …)"
                )
    return shown


@exercise("1.6")
def test_two_inputs(student):
    """Two inputs give two maps, each with its own numbers: queries down, keys across."""
    for weights in (np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.2, 0.8], [0.7, 0.3]])):
        shown = _heat_map(student, weights, ["cat", "ate"])
        expect.close(
            shown["images"][0], weights, what="the image",
            causes={"the image is transposed: row i belongs to query i": weights.T,
                    "the rows are in reverse order": weights[::-1]},
            otherwise="draw the weights as they are, into a new figure when `ax` is None",
            read="exercise 1.6",
        )


@exercise("1.6")
def test_labels(student):
    """Every token names its row and its column; title and both axes say what they show."""
    shown = _heat_map(student, WORKED_WEIGHTS, TOKENS)
    for axis in ("x", "y"):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        labelled = sorted((math.floor(place + 1e-6), label) for place, label in ticks if label)
        unplaced = bool(labelled) and labelled[0][0] < 0  # only matplotlib's own ticks begin there
        expect.true(
            labelled == list(enumerate(TOKENS)), expected=f"{axis} ticks 0 … 4 labelled {TOKENS}",
            got=str(labelled), because="labels without places of their own" if unplaced else "",
            otherwise=f"set places and labels in one call: ax.set_{axis}ticks(range(n), tokens)",
            read="exercise 1.6",
        )
    for part in ("title", "xlabel", "ylabel"):
        expect.true(bool(shown[part]), expected=f"a {part}", got="none",
                    otherwise=f"ax.set_{part}(…)", read="exercise 1.6")


@exercise("1.6")
def test_colours(student):
    """The colours run from 0 to 1 in every map, in a colour map that everybody can read."""
    weights = np.array([[0.3, 0.2], [0.25, 0.25]])
    shown = _heat_map(student, weights, ["cat", "ate"])
    expect.close(
        shown["colour_limits"][0], [0.0, 1.0], what="colour limits", read="exercise 1.6",
        causes={"the limits follow the data, so two maps cannot be compared": [0.2, 0.3],
                "the upper limit follows the data": [0.0, 0.3],
                "the lower limit follows the data": [0.2, 1.0]},
        otherwise="vmin=0, vmax=1",
    )
    name = shown["colour_maps"][0]
    expect.true(
        name.removesuffix("_r") in ("viridis", "cividis"), expected="viridis or cividis", got=name,
        because=f"{name} is not one of the two colour maps of the handout", read="exercise 1.6",
    )


@exercise("1.6")
def test_forbidden_cells(student):
    """Cells that the mask forbids are masked in the image; a mask of one row serves every row."""
    weights = np.array([[0.9, 0.1], [0.4, 0.6]])
    for mask in (np.array([[True, False], [True, True]]), np.array([False, True])):
        shown = _heat_map(student, weights, ["cat", "ate"], mask=mask)
        allowed = np.broadcast_to(mask, (2, 2))
        got = np.where(shown["image_masks"][0], np.nan, shown["images"][0])
        expect.true(
            got.shape == (2, 2) and (np.isnan(got) == ~allowed).all(),
            expected=f"masked cells {np.argwhere(~allowed).tolist()}", got=expect.show(got),
            because="" if got.shape != (2, 2)
            else "the mask is ignored" if np.array_equal(got, weights)
            else "forbidden cells are drawn as zero" if np.array_equal(got, weights * allowed)
            else "the mask is inverted: numpy.ma hides where its mask is True"
            if (np.isnan(got) == allowed).all() else "",
            otherwise="np.ma.masked_array(weights, ~mask), the mask broadcast to their shape",
            read="exercise 1.6",
        )


@exercise("1.6")
def test_given_axes(student):
    """With `ax`, that Axes is drawn into; weights that do not fit the tokens raise a ValueError."""
    figure = "__import__('matplotlib.figure').figure.Figure().subplots()"
    axes, weights = student.make(figure), np.array([[0.9, 0.1], [0.4, 0.6]])
    _heat_map(student, weights, ["cat", "ate"], ax=axes)
    expect.true(len(axes.axes()["images"]) == 1, expected="one image in the `ax` that is given",
                got=f"{len(axes.axes()['images'])}", read="exercise 1.6",
                because="another Axes is drawn into than the `ax` that is given")
    expect.raises(
        lambda: student.plot_attention(weights, ["the", "cat", "ate"], ax=student.make(figure)),
        "ValueError", because="2 × 2 weights are drawn for three tokens",
        otherwise="compare the shape of the weights with the number of tokens first",
    )


# ------------------------------------------------------------------------------- 1.7
#
# Chance alone fails honest code less than once in a million runs.


@exercise("1.7")
def test_largest_weight_among_32_keys(student):
    """At d_k = 512 and 32 keys the largest weight is .94 on average, and .16 when scaled."""
    n = 300
    parts = student.score_statistics([4, 512], n, student.make("np.random.default_rng(0)"))
    largest = expect.parts(parts, 3, otherwise="return three arrays")[2]
    expect.shape(largest, (2, 2), what="the mean largest weight", read="exercise 1.7",
                 otherwise="one row a d_k; column 0 raw, column 1 scaled")
    raw, scaled = (float(x) for x in largest[1])
    swapped = abs(raw - 0.164) < 0.03 and abs(scaled - 0.936) < 0.06
    mean = abs(raw - 1 / 32) < 1e-6 and abs(scaled - 1 / 32) < 1e-6
    flat = abs(scaled - 0.0342) < 0.001 and not mean
    expect.by_chance(
        [raw, scaled], [0.9361, 0.1643], np.array([0.1269, 0.0661]) / math.sqrt(n),
        what="largest weights, raw and scaled",
        because="the columns are exchanged: raw first" if swapped
        else "0.03 is 1/32, the mean of the weights: take the maximum of every row" if mean
        else "the scaled scores are divided by d_k instead of √d_k" if flat else "",
        otherwise="softmax over the 32 keys of a query, its maximum, the mean over the queries",
        read="§3.2.1, footnote 4",
    )


@exercise("1.7")
def test_variances(student):
    """Dot products vary like d_k before the division, like 1 after it."""
    n, d_k = 400, np.array([16.0, 64.0])
    parts = student.score_statistics([16, 64], n, student.make("np.random.default_rng(1)"))
    raw, scaled, _ = expect.parts(parts, 3, otherwise="return three arrays")
    error = np.sqrt((2 / d_k + 2 * (1 + 2 / d_k) / 32) / n)  # of a variance, over its mean
    deviation = "this is the standard deviation: report its square, the variance"
    for name, got, want, mistakes in (
        ("the raw variance", raw, d_k, {deviation: np.sqrt(d_k)}),
        ("the scaled variance", scaled, np.ones(2),
         {"divided by d_k instead of √d_k": 1 / d_k, "not divided at all": d_k}),
    ):
        expect.shape(got, (2,), what=name, otherwise="one number for every d_k")
        fits = [cause for cause, wrong in mistakes.items()
                if np.all(np.abs(np.asarray(got) / wrong - 1) < 8 * error)]
        expect.by_chance(
            got, want, error * want, what=name, because="".join(fits),
            otherwise="standard normal components, as in footnote 4", read="§3.2.1, footnote 4",
        )


@exercise("1.7")
def test_generator_and_samples(student):
    """The numbers come from `rng` alone, and n_samples queries have keys of their own."""
    def variances(widths, n, seed):
        generator = student.make(f"np.random.default_rng({seed})")
        parts = student.score_statistics(widths, n, generator)
        return np.asarray(expect.parts(parts, 3, otherwise="return three arrays")[0], dtype=float)

    first, again, other = (variances([3, 5], 10, seed) for seed in (3, 3, 4))
    expect.close(again, first, what="the raw variance from a generator of the same seed",
                 otherwise="draw from `rng`, and from nothing else", read="exercise 1.7")
    expect.above(float(np.abs(other - first).max()), 1e-5, expected="another variance with "
                 "another seed", got="the same", because="the numbers are the same whatever `rng` "
                 "is", read="exercise 1.7")
    expect.above(float(np.abs(variances([3, 5], 200, 3) - first).max()), 1e-5,
                 expected="another variance from 200 samples than from 10", got="the same",
                 because="n_samples is not used", read="exercise 1.7")
    scatter = float(np.std(variances([1] * 24, 1000, 5), ddof=1))  # by chance alone 0.047
    expect.by_chance(
        max((scatter / 0.0468) ** (2 / 3), 0.9903), 0.9903, math.sqrt(2 / (9 * 23)),
        what="how unevenly 24 equal widths come out (1 is chance alone)", read="exercise 1.7",
        otherwise="every sample needs a query of its own and 32 keys of its own",
    )


# ------------------------------------------------------------------------------- 1.8


@exercise("1.8")
def test_cat_and_mouse(student):
    """A running sum over "cat ate mouse" sees the order: its largest gap is 2."""
    x = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    gap = student.equivariance_gap(
        student.make("lambda x: np.cumsum(x, axis=0)"), x, np.array([2, 1, 0])
    )
    expect.close(
        gap, 2.0,
        causes={"this is the mean difference: the gap is the largest": 4 / 3,
                "the function's output must be permuted too": 1.0},
        otherwise="compare function(x[permutation]) with function(x)[permutation]",
        read="exercise 1.8",
    )


@exercise("1.8")
def test_a_function_of_single_tokens(student):
    """What treats every token alone has no gap."""
    x = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    circle = np.array([1, 2, 0])
    gap = student.equivariance_gap(student.make("np.tanh"), x, circle)
    ahead, back = np.tanh(x[circle]), np.tanh(x)[np.argsort(circle)]
    expect.close(
        gap, 0.0,
        causes={"the output is permuted by the inverse permutation": np.abs(ahead - back).max(),
                "the function's output must be permuted too": np.abs(ahead - np.tanh(x)).max()},
        otherwise="permute the input and the output with the same permutation, not its inverse",
        read="exercise 1.8",
    )


@exercise("1.8")
def test_three_in_a_circle(student):
    """Token i of the permuted input is x[permutation[i]], not the other way round."""
    x, circle = np.array([[1.0], [2.0], [9.0]]), np.array([1, 2, 0])
    gap = student.equivariance_gap(student.make("lambda x: np.cumsum(x, axis=0)"), x, circle)
    back = np.argsort(circle)
    expect.close(
        gap, 11.0,
        causes={"token i of the permuted input is x[permutation[i]], not the other way round":
                    np.abs(np.cumsum(x[back], axis=0) - np.cumsum(x, axis=0)[back]).max(),
                "the output is permuted by the inverse permutation":
                    np.abs(np.cumsum(x[circle], axis=0) - np.cumsum(x, axis=0)[back]).max()},
        otherwise="compare function(x[permutation]) with function(x)[permutation]",
        read="exercise 1.8, the trap",
    )


# ------------------------------------------------------------------------------- 1.9


def _count(counts, layer, what):
    known = isinstance(counts, dict) and isinstance(counts.get(layer), dict)
    expect.true(known and what in counts[layer], expected=f'result["{layer}"]["{what}"]',
                got=repr(counts)[:200], otherwise="return a dict of dicts, named as in the handout"
                )
    return counts[layer][what]


@exercise("1.9")
def test_operations(student):
    """Five tokens of width 512: leading terms of the operations."""
    counts = student.operation_counts(5, 512)
    n2d, nd2 = 25 * 512, 5 * 512 * 512
    left_out = {"the width is missing: each meeting is a dot product of d terms": 25,
                "n·d: who meets whom?": 5 * 512,
                "the projections are left out, as in the table": n2d + nd2}
    for layer, want, wrong in (("self-attention", n2d, nd2), ("recurrent", nd2, n2d)):
        expect.close(
            _count(counts, layer, "operations"), want, rtol=0, what=f"{layer} operations",
            causes={"this is the other layer's term: every token meets every token, or one "
                    "state meets a d × d matrix?": wrong,
                    "the constant factor 2 is left out, as in the table": 2 * want, **left_out},
            otherwise="leading term only, without constant factors", read="§4, Table 1",
        )


@exercise("1.9")
def test_sequential_steps(student):
    """Self-attention takes one step after another once; a recurrent layer, once a token."""
    counts = student.operation_counts(7, 16)
    for layer, want, causes in (
        ("self-attention", 1, {"all tokens are treated at once: no step waits": 7}),
        ("recurrent", 7, {"each state needs the one before it: n steps, not 1": 1}),
    ):
        expect.close(
            _count(counts, layer, "sequential"), want, what=f"{layer} sequential steps",
            causes=causes,
            otherwise="which results must exist before the next one can be computed?",
            read="§4, Table 1",
        )


# ------------------------------------------------------------------------------ 1.10


def _inputs(student, bug):
    inputs = student.separating_input(bug)
    names = ("query", "key", "value", "mask")
    expect.true(isinstance(inputs, dict) and set(inputs) == set(names),
                expected=f"a dict with the keys {', '.join(names)}", got=repr(inputs)[:200],
                otherwise="mask=None stands for no mask, and is a key too")
    arrays = [np.asarray(inputs[name], dtype=float) for name in names[:3]]
    expect.true(all(array.ndim == 2 for array in arrays), expected=f"{bug}: three matrices",
                got=f"shapes {[a.shape for a in arrays]}", otherwise="one sequence, no batch axis"
                )
    expect.true(all(max(array.shape) <= 100 for array in arrays),
                expected=f"{bug}: at most 100 tokens and features",
                got=f"shapes {[a.shape for a in arrays]}", otherwise="a few tokens are enough")
    return (*arrays, inputs["mask"])


@exercise("1.10")
def test_the_solved_mistake(student):
    """The solved example: outputs with and without the division differ by more than 0.001."""
    query, key, value, mask = _inputs(student, "not-scaled")
    dots = np.where(True if mask is None else mask, query @ key.T, -1e9)
    outputs = []
    for scores in (dots, dots / math.sqrt(query.shape[1])):
        shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        outputs.append(shares @ value)
    gap = float(np.max(np.abs(outputs[0] - outputs[1])))
    expect.above(
        gap, 1e-3, expected="outputs that differ by more than 0.001", got=f"a gap of {gap:.2g}",
        because="d_k = 1 needs no division" if query.shape[1] == 1
        else "with one key the only weight is 1 whatever its score" if len(key) == 1
        else "all scores are zero, so every weight is equal either way" if not dots.any()
        else "all values are equal: every mixture is the same" if not np.ptp(value, axis=0).any()
        else "",
        otherwise="the scores or the values do not differ enough within a row",
        read="exercise 1.10, the solved example",
    )


@exercise("1.10")
def test_masked_too_late(student):
    """The inputs for "mask-after-softmax" show it: its rows no longer sum to one."""
    query, key, value, mask = _inputs(student, "mask-after-softmax")
    free = np.ones((len(query), len(key)), bool) if mask is None else np.asarray(mask)
    scores = query @ key.T / math.sqrt(query.shape[1])
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    late = shares * free  # what the mistake does; the right weights share out what is left
    total = late.sum(axis=1, keepdims=True)
    right = np.divide(late, total, out=np.zeros_like(late), where=total > 0)
    gap = float(np.max(np.abs((right - late) @ value)))
    expect.above(
        gap, 1e-3, expected="outputs that differ by more than 0.001", got=f"a gap of {gap:.2g}",
        because="no cell is masked" if free.all()
        else "with one key there is nothing to share out" if len(key) == 1 else "",
        otherwise="forbid a key that has a share of the weight, and let the values differ from 0",
        read="exercise 1.10, the table",
    )


@exercise("1.10")
def test_traps_and_names(student):
    """No symmetric scores for "keys-score-queries"; a ValueError for a name that is none."""
    query, key, _, _ = _inputs(student, "keys-score-queries")
    scores = query @ key.T
    expect.true(
        not np.array_equal(scores, scores.T), expected="scores that are not symmetric",
        got=expect.show(scores), because="QKᵀ = KQᵀ here, so both attentions are the same",
        read="exercise 1.10, the traps",
    )
    expect.raises(lambda: student.separating_input("no-such-mistake"), "ValueError",
                  because="a name that no mistake has gets inputs all the same",
                  otherwise="raise ValueError for any other name", read="the docstring of 1.10")


@exercise("1.10")
def test_six_sets_of_inputs(student):
    """Every mistake has inputs whose shapes fit together."""
    for bug in BUGS:
        query, key, value, mask = _inputs(student, bug)
        shapes = f"{bug}: query {query.shape}, key {key.shape}, value {value.shape}"
        expect.true(
            query.shape[1] == key.shape[1] and len(key) == len(value),
            expected="query and key of one width, one value a key", got=shapes,
            otherwise="both attentions must run on them without an error",
        )
        if mask is not None:
            expect.dtype(mask, "bool", what=f"{bug}: a mask", otherwise="True = may attend")
            expect.shape(mask, (len(query), len(key)), what=f"{bug}: the mask",
                         otherwise="one row a query, one column a key")


# ------------------------------------------------------------------------------ 1.12


@exercise("1.12")
def test_finite_differences(student):
    """Three gradients of a 2 × 3 example against central differences (written in)."""
    query, key = np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    value = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    got = expect.parts(
        student.attention_backward(np.array([[1.0, 0.0], [2.0, -1.0]]), query, key, value), 3,
        otherwise="return the gradients by query, key and value",
    )
    grad_query = np.array([[0.143785, -0.028120], [0.484274, -0.441920]])
    grad_key = np.array([[0.028120, -0.385680], [-0.143785, 0.196705], [0.115665, 0.188975]])
    grad_value = np.array([[1.147009, -0.503490], [0.780506, -0.248255], [1.072486, -0.248255]])
    unscaled = "the factor 1/√d_k of the scores is missing"
    own_only = "a score lowers the other weights of its row too: take the row's weighted sum off"
    expect.close(
        got[2], grad_value, atol=1e-5, what="the gradient by value", read="§3.2.1, Eq. 1",
        otherwise="output = weights @ value: how does the output change with one value?",
    )
    expect.close(
        got[0], grad_query, atol=1e-5, what="the gradient by query", read="§3.2.1, Eq. 1",
        causes={unscaled: grad_query * math.sqrt(2),
                own_only: [[0.506292, 0.407276], [0.887585, -0.175543]]},
        otherwise="go back step by step: output, weights, softmax, scores, query",
    )
    expect.close(
        got[1], grad_key, atol=1e-5, what="the gradient by key", read="§3.2.1, Eq. 1",
        causes={unscaled: grad_key * math.sqrt(2),
                own_only: [[0.099016, -0.514011], [0, 0.351086], [0.407276, 0.639009]]},
        otherwise="a key meets every query: sum over the queries, with the transposed gradient",
    )


@exercise("1.12")
def test_masks_and_batches(student):
    """A query without keys and a key that nobody may see have no gradient; a batch is its rows."""
    rng = np.random.default_rng(0)
    grad_output, query, key, value = (rng.normal(size=(2, 3, 2)) for _ in range(4))
    mask = np.array([[True, True, False], [False, False, False], [True, True, False]])
    together = expect.parts(
        student.attention_backward(grad_output, query, key, value, mask), 3,
        otherwise="return the gradients by query, key and value",
    )
    for name, got, place in zip(("query", "key", "value"), together, (1, 2, 2), strict=True):
        expect.shape(got, (2, 3, 2), what=f"the gradient by {name}")
        expect.close(
            np.asarray(got)[:, place], np.zeros((2, 2)), atol=1e-5, read="exercise 1.12",
            what=f"the gradient by {name} {place}, which the mask cuts off",
            causes={"softmax of a row of −∞ alone is 0/0: give such a row zeros":
                        np.full((2, 2), np.nan)},
            otherwise="the weights of forbidden pairs are zero, also in a row without any key",
        )
    for i in range(2):
        alone = expect.parts(
            student.attention_backward(grad_output[i], query[i], key[i], value[i], mask), 3
        )
        for name, one, got in zip(("query", "key", "value"), alone, together, strict=True):
            expect.close(np.asarray(got)[i], one, atol=1e-5, read="exercise 1.12",
                         what=f"the gradient by {name} of sequence {i} of the batch",
                         otherwise="swap the last two axes only, and sum along axes from the end")

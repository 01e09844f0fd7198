"""Hidden tests of exercise 2.7: counting the parameters of multi-head attention."""

from grader.checking.question import question

COUNT = "§3.2.2"
BIAS = "one bias for every output feature of the four layers"


def counts(its, d_model, n_heads, part, **options):
    pair = its.parameter_counts(d_model, n_heads, **options)
    return {f"d_model = {d_model}, {n_heads} heads, {options}": pair[part]}


@question("2.7", advice="w_q, w_k, w_v and w_o", read=COUNT)
def test_weights(its, rng):
    """The number of weights, for sizes other than the paper's."""
    some = int(rng.integers(2, 9)) * 10
    return counts(its, 64, 4, 0) | counts(its, 12, 3, 0) | counts(its, some, 5, 0)


@question("2.7", advice=BIAS, read=COUNT)
def test_biases(its, rng):
    """The number of biases, with `bias=True` and `bias=False`."""
    some = int(rng.integers(2, 9)) * 10
    without = counts(its, 64, 4, 1, bias=False) | counts(its, 12, 3, 1, bias=False)
    return counts(its, 12, 3, 1) | counts(its, some, 5, 1, bias=True) | without


@question("2.7", advice="a head has d_model / n_heads features: more heads, smaller matrices")
def test_heads_cost_nothing(its):
    """One head and sixteen heads have the same number of parameters."""
    return {f"{n_heads} heads": its.parameter_counts(32, n_heads) for n_heads in (1, 16)}


@question("2.7", advice="the entries of w_q, w_k, w_v, w_o and their biases", read=COUNT)
def test_agrees_with_torch(its):
    """The sum equals the number of parameters of torch's module of the same size."""
    return [sum(its.parameter_counts(12, n, bias=bias)) for n, bias in ((2, True), (6, False))]

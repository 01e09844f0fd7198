"""Hidden tests of exercise 2.7: counting the parameters of multi-head attention."""

import torch

# Imported by name before any rule removes it: students may not use it, the tests may.
from torch.nn import MultiheadAttention

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

COUNT = "§3.2.2"


def counts(student, d_model, n_heads, **options):
    """The student's [weights, biases]. Raises Failure unless they are two whole numbers."""
    value = student.parameter_counts(d_model, n_heads, **options)
    expect.true(
        not isinstance(value, (int, float)),
        expected="2 values, returned together",
        got=str(value),
        read="exercise 2.7, the signature",
    )
    pair = expect.parts(value, 2, read="exercise 2.7, the signature")
    for number in pair:
        expect.true(
            isinstance(number, (int, float)) and number == int(number),
            expected="whole numbers",
            got=str(number),
            otherwise="use integer division `//`: `/` gives a float",
        )
    return list(pair)


def wrong_weights(d, h):
    return {
        MISTAKE.counts_times_heads: (4 * d * d * h),
        "three full-size projections for every head": 3 * d * d * h + d * d,
        MISTAKE.counts_no_output_projection: 3 * d * d,
        MISTAKE.counts_one_head: 3 * d * (d // h) + d * d,
        "`w_o` is counted as d_k × d_model, for one head: it is h·d_k × d_model": 3 * d * d
        + d * (d // h),
        "weights and biases are counted together": 4 * d * d + 4 * d,
    }


@exercise("2.7")
def test_weights(student, rng):
    """The number of weights, for sizes other than the paper's."""
    for d_model, n_heads in [(64, 4), (12, 3), (int(rng.integers(2, 9)) * 10, 5)]:
        expect.close(
            counts(student, d_model, n_heads)[0],
            4 * d_model**2,
            otherwise="w_q, w_k, w_v and w_o",
            read=COUNT,
            what=f"weights for d_model = {d_model} and {n_heads} heads",
        )


@exercise("2.7")
def test_biases(student, rng):
    """The number of biases, with `bias=True` and `bias=False`."""
    for d_model, n_heads in [(64, 4), (12, 3), (int(rng.integers(2, 9)) * 10, 5)]:
        d = d_model
        for bias, wanted in [(True, 4 * d), (False, 0)]:
            expect.close(
                counts(student, d_model, n_heads, bias=bias)[1],
                wanted,
                otherwise="one bias for every output feature of the four layers",
                read=COUNT,
                what=f"biases for d_model = {d_model}, {n_heads} heads, bias={bias}",
            )


@exercise("2.7")
def test_heads_cost_nothing(student):
    """One head and sixteen heads have the same number of parameters."""
    one, many = counts(student, 32, 1), counts(student, 32, 16)
    expect.close(
        many,
        one,
        otherwise="a head has d_model / n_heads features: more heads, smaller matrices",
        read=COUNT,
        what="the counts for 16 heads",
    )


@exercise("2.7")
def test_agrees_with_torch(student, rng):
    """The sum equals the number of parameters of torch's module of the same size."""
    for n_heads, bias in [(2, True), (6, False)]:
        theirs = MultiheadAttention(12, n_heads, bias=bias)
        total = sum(torch.numel(p) for p in theirs.parameters())
        expect.close(
            sum(counts(student, 12, n_heads, bias=bias)),
            total,
            otherwise="count the entries of w_q, w_k, w_v, w_o and their biases",
            read="torch.nn.MultiheadAttention",
            what=f"weights + biases for d_model = 12, {n_heads} heads, bias={bias}",
        )

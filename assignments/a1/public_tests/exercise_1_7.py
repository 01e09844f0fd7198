"""The visible checks of exercise 1.7: why divide by √d_k?"""

import math

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# Correct code fails by chance less than once in a million runs.


@exercise("1.7")
def test_largest_weight_among_32_keys(student):
    """At d_k = 512 with 32 keys, the largest weight is 0.94 on average, and 0.16 when scaled."""
    n = 40
    parts = student.score_statistics([4, 512], n, student.make("np.random.default_rng(0)"))
    largest = expect.parts(parts, 3, otherwise="return three arrays")[2]
    expect.shape(largest, (2, 2), what="the mean largest weight", read="exercise 1.7",
                 otherwise="one row per d_k; column 0 raw, column 1 scaled")
    raw, scaled = (float(x) for x in largest[1])
    swapped = abs(raw - 0.164) < 0.06 and abs(scaled - 0.936) < 0.12
    mean = abs(raw - 1 / 32) < 1e-6 and abs(scaled - 1 / 32) < 1e-6
    flat = abs(scaled - 0.0342) < 0.001 and not mean
    expect.by_chance(
        [raw, scaled], [0.9361, 0.1643],
        1.3 * np.array([0.1269, 0.0661]) / math.sqrt(n),  # the largest weights are skewed
        what="largest weights, raw and scaled",
        because="the columns are swapped: raw comes first" if swapped
        else "0.03 is 1/32, the mean of the weights: take the maximum of every row" if mean
        else "the scaled scores are divided by d_k instead of √d_k" if flat else "",
        otherwise="the largest softmax weight of each query, then the mean over the queries",
        read="§3.2.1, footnote 4",
    )


@exercise("1.7")
def test_variances(student):
    """The variance of the dot products is d_k before the division and 1 after it."""
    n, d_k = 100, np.array([16.0, 64.0])
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
    """The numbers come from `rng` alone, and each of n_samples queries has its own keys."""
    def variances(widths, n, seed):
        generator = student.make(f"np.random.default_rng({seed})")
        parts = student.score_statistics(widths, n, generator)
        return np.asarray(expect.parts(parts, 3, otherwise="return three arrays")[0], dtype=float)

    first, again, other = (variances([3, 5], 10, seed) for seed in (3, 3, 4))
    expect.close(again, first, what="the raw variance from a generator of the same seed",
                 otherwise="draw from `rng`, and from nothing else", read="exercise 1.7")
    expect.above(float(np.abs(other - first).max()), 1e-5, read="exercise 1.7",
                 expected="a different variance with a different seed", got="the same",
                 because="the numbers are the same whatever `rng` is")
    expect.above(float(np.abs(variances([3, 5], 200, 3) - first).max()), 1e-5,
                 expected="different variances from 200 samples and from 10", got="the same",
                 because="n_samples is not used", read="exercise 1.7")
    scatter = float(np.std(variances([1] * 24, 400, 5), ddof=1))  # by chance alone 0.074
    expect.by_chance(
        max((scatter / 0.0740) ** (2 / 3), 0.9903), 0.9903, math.sqrt(2 / (9 * 23)),
        what="how much the variances of 24 equal widths scatter (1 is chance alone)",
        read="exercise 1.7", otherwise="every sample needs its own query and its own 32 keys",
    )

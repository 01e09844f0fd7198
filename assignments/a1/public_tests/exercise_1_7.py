"""The visible checks of exercise 1.7: why divide by √d_k?

Random answers are compared within five standard errors of the difference of two.
"""

import numpy as np

from grader.checking.exercise import fixture
from grader.checking.question import question

READ = "§3.2.1, footnote 4"
OWN = "draw n_samples queries and 32 keys for each, from `rng` alone"
LARGEST = "the largest softmax weight of each query, then the mean over the queries"


def _statistics(its, widths, n, seed=0):
    answer = its.score_statistics(widths, n, its.make(f"np.random.default_rng({seed})"))
    return [np.asarray(one, dtype=float) for one in answer]


@fixture
def of_widths(its):
    return _statistics(its, [4, 16, 64], 1000)


@question("1.7", weight=2, atol=0.05, rtol=0, advice=LARGEST, read=READ)
def test_largest_weight_among_32_keys(of_widths):
    """At d_k = 64 with 32 keys, the largest weight is 0.81 on average, and 0.16 when scaled."""
    return {"mean largest weights, raw and scaled": of_widths[2][::2]}


@question("1.7", weight=2, rtol=0.1, advice="standard normal components; divide by √d_k", read=READ)
def test_variances(its, of_widths):
    """The variance of the dot products is d_k before the division and 1 after it."""
    few, few_scaled, _ = _statistics(its, [4, 9], 5)
    raw, scaled, _ = of_widths
    found = {"raw variance": raw[1:], "scaled variance": scaled[1:]}
    found["the raw one over d_k"] = np.allclose(few_scaled, few / [4, 9], rtol=1e-3)
    return found | {"the scaled one is exactly 1": np.allclose(few_scaled, 1, rtol=1e-6)}


@question("1.7", advice=OWN, read="exercise 1.7")
def test_generator_and_samples(its):
    """The numbers come from `rng` alone, and each of n_samples queries has its own keys."""
    first, again, other = (_statistics(its, [3, 5], 10, seed)[0] for seed in (3, 3, 4))
    scatter = float(np.std(_statistics(its, [1] * 24, 400)[0], ddof=1))  # by chance 0.074
    return {
        "the same from a generator of the same seed": bool(np.allclose(first, again)),
        "the same from another seed": bool(np.allclose(first, other)),
        "24 variances of equal widths differ": scatter > 0.004,
        "at most twice as much as by chance": scatter < 0.148,
        "at most eight times as much": scatter < 0.6,
    }

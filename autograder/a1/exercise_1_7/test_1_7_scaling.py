"""Hidden tests of exercise 1.7: what the division by √d_k does to variances and weights.

Random answers are compared within five standard errors of the difference of two.
"""

import numpy as np

from grader.checking.exercise import fixture
from grader.checking.question import question

READ = "§3.2.1, footnote 4"
NAMES = ("raw variance", "scaled variance", "largest weights")
OWN = "n_samples queries with 32 keys each, from `rng` alone: one variance over all their scores"
LARGEST = "the largest softmax weight of each query, then the mean over the queries"


def _statistics(its, d_k_values, n_samples, own=3, seed=None):
    generator = its.make(f"np.random.default_rng({own})")
    answer = its.call(its.score_statistics, d_k_values, n_samples, generator, seed=seed).value
    return {name: np.asarray(one, float) for name, one in zip(NAMES, answer, strict=True)}


@fixture
def of_widths(its):
    """The three statistics of 2,400 queries each, at widths 4, 16 and 25."""
    return _statistics(its, [4, 16, 25], 2400)


def _is_d_k(its):
    """Whether the variance is d_k, and not 1/32 less as that of each query's own 32 scores is.

    Of 8,000 queries the standard error is 0.64 %, of 32,000 it is 0.32 %. Seven in eight right
    answers are so far from that mistake with 8,000 that no more are needed.
    """
    for n_samples, low in ((8_000, -0.0076), (32_000, -0.0156)):
        [found] = _statistics(its, [8], n_samples)["raw variance"] / 8 - 1
        if low < found < 0.032:
            return True
    return False


@question("1.7", weight=3, rtol=0.07, advice="divide the scores by √d_k", read=READ)
def test_scaled_variance(its, of_widths):
    """The variance of the scores is d_k, and after the division by √d_k 1: that over d_k."""
    few = _statistics(its, [4, 9], 5)
    exact = np.allclose(few["scaled variance"], few["raw variance"] / [4, 9], rtol=1e-3)
    many = {name: of_widths[name][1:] for name in NAMES[:2]}
    unit = np.allclose(few["scaled variance"], 1, rtol=1e-6)
    return many | {"the raw one over d_k": exact, "the scaled one is exactly 1": unit}


@question("1.7", weight=2, advice=OWN, read="exercise 1.7")
def test_all_samples_count(its):
    """From `rng` alone, n_samples queries with 32 keys each are drawn, and anew for every d_k."""
    seeds = ((3, 1), (3, 2), (4, 1))  # of the given and of the global generator
    first, again, other = (
        _statistics(its, [3, 5], 10, own, seed)["raw variance"] for own, seed in seeds
    )
    found = _statistics(its, [1] * 24, 700)["raw variance"]
    scatter = np.std(found, ddof=1) / np.sqrt((2 + 6 / 32) / 700)
    return {
        "whatever the seed of the global generator is": np.allclose(first, again),
        "the same from another seed": np.allclose(first, other),
        "24 variances of equal widths differ": scatter > 0.05,
        "at most twice as much as by chance": scatter < 2,
        "at most ten times as much": scatter < 10,
        "of thousands of queries, d_k but for chance": _is_d_k(its),
    }


@question("1.7", weight=2, atol=0.032, rtol=0, advice=LARGEST, read=READ)
def test_largest_weights(of_widths):
    """The mean largest of 32 weights, raw and scaled."""
    return of_widths["largest weights"][::2]

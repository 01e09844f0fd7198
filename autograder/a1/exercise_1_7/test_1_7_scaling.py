"""Hidden tests of exercise 1.7: what the division by √d_k does to variances and weights.

Statistical checks use `expect.by_chance`. Under its normal approximation, correct code fails once
in 10⁸ releases; allowing for the skewness of the largest weights (a Chernoff bound on their means
over 300 queries; the next cumulants of variances), once in 400,000 for all of them together.
"""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.1, footnote 4"
N_KEYS = 32
# d_k → (mean, standard deviation) of the largest of 32 weights, from 400,000 simulated queries:
# for raw scores, scores divided by √d_k, and scores divided by d_k.
LARGEST = {
    4: ((0.3426, 0.2021), (0.1581, 0.0969), (0.0780, 0.0313)),
    16: ((0.6286, 0.2266), (0.1626, 0.0763), (0.0509, 0.0073)),
}
# A generator whose normal numbers have mean 3. All scores then vary about twice as much as those of
# one query do on average: at d_k = 1 by 1 + 2·3² = 19, and by (1 + 3²)·31/32.
SHIFTED = """type("Shifted", (np.random.Generator,), {
    "standard_normal": lambda self, *args, **options:
        3 + np.random.Generator.standard_normal(self, *args, **options),
    "normal": lambda self, loc=0.0, scale=1.0, size=None:
        loc + scale * self.standard_normal(size),
})(np.random.PCG64(seed))"""
SHIFTED_VARIANCE = 19.0


def _statistics(student, rng, d_k_values, n_samples):
    generator = student.make(f"np.random.default_rng({rng.integers(2**31)})")
    got = student.score_statistics(d_k_values, n_samples, generator)
    return expect.parts(
        got, 3, otherwise="return raw_variance, scaled_variance, max_weight", read=READ
    )


def _relative_error(d_k, n):
    """The relative standard error of a variance of scores: n queries with N_KEYS keys each."""
    return np.sqrt((2 / d_k + 2 * (1 + 2 / d_k) / N_KEYS) / n)


def _near(got, d_k, n, want, mistakes, what):
    """Check that `got` is `want` within chance; name a mistake whose value it matches instead."""
    expect.shape(got, d_k.shape, what=what, otherwise="one number per d_k", read=READ)
    found, error = np.asarray(got, dtype=float), _relative_error(d_k, n)
    seen = [
        cause
        for cause, wrong in mistakes.items()
        if np.all(np.abs(found / wrong - 1) < 8 * error) and np.all(abs(wrong / want - 1) > 0.5)
    ]
    expect.by_chance(
        got, want, error * want, what=what, because=next(iter(seen), ""), read=READ,
        otherwise="draw n_samples queries with 32 keys each: one variance over all their scores",
    )  # fmt: skip


def _is_of_all_scores(student, rng):
    """Whether few numbers show that the raw variance is one over all scores.

    False, too, if the numbers are drawn in a way that `SHIFTED` does not shift.
    """
    generator = student.make(SHIFTED, seed=int(rng.integers(2**31)))
    got = student.score_statistics([1], 2000, generator)  # its standard error is 2 %
    [raw] = expect.parts(got, 3, read=READ)[0]
    return abs(float(raw) / SHIFTED_VARIANCE - 1) < 0.2


@exercise("1.7")
def test_contract(student, rng):
    """Arrays of shapes (D,), (D,) and (D, 2), drawn only from the given generator."""
    answers = []
    for seed in (1, 2, 1):
        generator = student.make("np.random.default_rng(3)")
        called = student.call(student.score_statistics, [3, 5, 7], 10, generator, seed=seed)
        answers.append(expect.parts(called.value, 3, otherwise="return three arrays", read=READ))
    names = ("raw_variance", "scaled_variance", "max_weight")
    for name, want, one, two, again in zip(names, ((3,), (3,), (3, 2)), *answers, strict=True):
        expect.shape(one, want, what=name, otherwise="one row per d_k, in order", read=READ)
        one, two, again = (np.asarray(answer, dtype=float) for answer in (one, two, again))
        because = MISTAKE.statistics_unseeded_generator
        if np.array_equal(one, again):
            because = MISTAKE.statistics_global_generator
        expect.below(
            float(np.nan_to_num(np.abs(two - one)).max()), 1e-6, read="exercise 1.7",
            because=because,
            expected=f"the same {name} from a generator of the same seed", got=expect.show(two),
        )  # fmt: skip
    moved = _statistics(student, rng, [3, 5, 7], 10)[0]
    expect.above(
        float(np.abs(np.asarray(moved) - np.asarray(answers[0][0])).max()), 1e-5,
        expected="different numbers from a different seed", got="the same", read="exercise 1.7",
    )  # fmt: skip


@exercise("1.7")
def test_raw_variance(student, rng):
    """Before the division, the variance of the scores is d_k."""
    d_k, n = np.array([8.0, 32.0]), 100
    raw = _statistics(student, rng, [8, 32], n)[0]
    mistakes = {
        MISTAKE.statistics_standard_deviation: np.sqrt(d_k),
        "this is the variance after the division": np.ones(2),
        MISTAKE.statistics_uniform_components: d_k * 7 / 144,
    }
    _near(raw, d_k, n, d_k, mistakes, "raw variance")
    if _is_of_all_scores(student, rng):
        return
    # The keys of one query scatter less than all scores do, by 1 / 32: that takes many queries.
    n = 32_000
    [found] = _statistics(student, rng, [8], n)[0]
    error = float(_relative_error(8, n))
    within = abs(float(found) / (8 * (1 - 1 / N_KEYS)) - 1) < 5 * error
    expect.by_chance(
        float(found), 8.0, 8 * error, what=f"raw variance at d_k = 8 from {n:,} queries", read=READ,
        otherwise="draw n_samples queries with 32 keys each: one variance over all their scores",
    )  # fmt: skip


@exercise("1.7")
def test_scaled_variance(student, rng):
    """After the division by √d_k, the variance of the scores is 1."""
    d_k, n = np.array([8.0, 32.0]), 100
    scaled = _statistics(student, rng, [8, 32], n)[1]
    mistakes = {
        MISTAKE.statistics_divided_by_d_k: 1 / d_k,
        MISTAKE.statistics_not_divided: d_k,
        MISTAKE.statistics_variance_divided: np.sqrt(d_k),
    }
    _near(scaled, d_k, n, np.ones(2), mistakes, "scaled variance")


@exercise("1.7")
def test_all_samples_count(student, rng):
    """n_samples queries are drawn, each with its own 32 keys."""
    one, many = (
        np.asarray(_statistics(student, np.random.default_rng(4), [3, 5], n)[0], dtype=float)
        for n in (1, 200)
    )
    expect.above(
        float(np.abs(one - many).max()), 1e-5, read="exercise 1.7",
        expected="different variances from 200 samples and from 1", got="the same",
    )  # fmt: skip
    # The scatter of the variances of 24 equal widths estimates the standard error of one; the cube
    # root of its square is nearly normal (Wilson and Hilferty).
    n, widths, freedom = 700, [1] * 24, 23
    raw, _, largest = _statistics(student, rng, widths, n)
    expect.shape(raw, (24,), what="the raw variance", read=READ)
    expect.shape(largest, (24, 2), what="max_weight", otherwise="(D, 2): raw, scaled", read=READ)
    scatter = float(np.std(np.asarray(raw, dtype=float), ddof=1))
    ratio = scatter / _relative_error(1, n)
    center, error = 1 - 2 / (9 * freedom), np.sqrt(2 / (9 * freedom))
    queries, keys = np.sqrt(2 + 6 / N_KEYS), np.sqrt(2 / N_KEYS)  # of one query; of 32 keys
    because = ""
    if 0.3 * queries < scatter < 4 * queries:  # wide bounds: an estimate from 24 values
        because = MISTAKE.statistics_one_query
    elif 0.5 * keys < scatter < 1.75 * keys:
        because = MISTAKE.statistics_shared_keys
    expect.by_chance(
        max(ratio ** (2 / 3), center), center, error, because=because, read="exercise 1.7",
        what="how much the variances of 24 equal widths scatter (1 is chance alone)",
        otherwise="draw n_samples queries, and new keys for each of them",
    )  # fmt: skip


@exercise("1.7", weight=2)
def test_largest_weights(student, rng):
    """The mean largest of 32 weights, raw and scaled, matches a simulation."""
    n = 300
    _, variance, largest = _statistics(student, rng, [*LARGEST], n)
    undivided = bool(np.all(np.asarray(variance) > 2))
    got = np.asarray(largest, dtype=float)
    expect.shape(got, (2, 2), what="max_weight", otherwise="(D, 2): raw, scaled", read=READ)
    for row, d_k in zip(got, LARGEST, strict=True):
        means, deviations = (np.array(column) for column in zip(*LARGEST[d_k], strict=True))
        errors = deviations / np.sqrt(n)

        def has(*which, row=row, means=means, errors=errors):
            """Whether the row shows these two of raw (0), scaled (1) and divided by d_k (2)."""
            return np.all(np.abs(row - means[list(which)]) < 6 * errors[list(which)])

        because = ""
        if has(1, 0):
            because = MISTAKE.statistics_columns_exchanged
        elif has(0, 0):
            because = MISTAKE.statistics_scaled_weights_of_raw
            if undivided:
                because = "the scaled scores equal the raw scores"
        elif has(0, 2):
            because = "the scores of the scaled column are divided by d_k instead of √d_k"
        elif np.all(np.abs(row - 1 / N_KEYS) < 1e-6):
            because = MISTAKE.statistics_mean_weight
        elif row[0] > 0.9 and row[1] > means[1] + 20 * errors[1]:
            because = MISTAKE.statistics_largest_of_all
        expect.by_chance(
            row, means[:2], errors[:2], what=f"largest weights, raw and scaled, at d_k = {d_k}",
            because=because, read=READ,
            otherwise="the largest softmax weight of each query, then the mean over the queries",
        )  # fmt: skip

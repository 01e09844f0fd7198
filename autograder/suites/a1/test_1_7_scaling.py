"""Hidden tests of exercise 1.7: variances and largest weights of random scores."""

import numpy as np

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

READ = "§3.2.1, footnote 4"
N_KEYS = 32


def _statistics(student, rng, d_k_values, n_samples):
    generator = student.make(f"np.random.default_rng({rng.integers(2**31)})")
    got = student.score_statistics(d_k_values, n_samples, generator)
    return expect.parts(
        got, 3, otherwise="return raw_variance, scaled_variance, max_weight", read=READ
    )


def _six_errors(d_k, n):
    """Six standard errors of the raw variance over d_k, for n queries of N_KEYS keys each."""
    return 6 * np.sqrt((2 / d_k + 2 * (1 + 2 / d_k) / N_KEYS) / n)


def _near(got, d_k_values, n, want, mistakes, what):
    """`got` lies within six standard errors of `want`; else the mistake it is nearest to."""
    expect.shape(got, (len(d_k_values),), what=what, otherwise="one number a d_k", read=READ)
    found = np.asarray(got, dtype=float)
    allowed = [_six_errors(d_k, n) for d_k in d_k_values]
    if np.all(np.abs(found / want - 1) < allowed):
        return
    with np.errstate(all="ignore"):
        distance = {
            cause: np.abs(np.log(found / np.asarray(wrong))).max()
            for cause, wrong in mistakes.items()
        }
    cause = min(distance, key=lambda name: distance[name])
    raise expect.Failure(
        f"{what} {expect.show(want)}, within {max(allowed):.0%}",
        expect.show(found),
        cause if distance[cause] < 0.3 else "n_samples queries with 32 keys each: one variance",
        READ,
    )


@exercise("1.7")
def test_contract(student, rng):
    """Arrays of shapes (D,), (D,) and (D, 2), from the generator that is given alone."""
    answers = []
    for seed in (1, 2):
        generator = student.make("np.random.default_rng(3)")
        called = student.call(student.score_statistics, [3, 5, 7], 10, generator, seed=seed)
        answers.append(expect.parts(called.value, 3, otherwise="return three arrays", read=READ))
    names = ("raw_variance", "scaled_variance", "max_weight")
    for name, want, one, two in zip(names, ((3,), (3,), (3, 2)), *answers, strict=True):
        expect.shape(one, want, what=name, otherwise="one row a d_k, in order", read=READ)
        expect.close(
            two, one, what=f"{name} from a generator of the same seed", read="exercise 1.7",
            otherwise="the global generator np.random is used: draw from `rng`",
        )  # fmt: skip
    moved = _statistics(student, rng, [3, 5, 7], 10)[0]
    expect.true(
        not np.allclose(moved, answers[0][0]), expected="other numbers from another seed",
        got="the same", otherwise="a generator with a fixed seed replaces `rng`",
        read="exercise 1.7",
    )  # fmt: skip


@exercise("1.7")
def test_raw_variance(student, rng):
    """Before the division the variance is d_k."""
    d_k, n = np.array([8.0, 32.0]), 300
    raw = _statistics(student, rng, [8, 32], n)[0]
    mistakes = {
        "this is the standard deviation, not the variance": np.sqrt(d_k),
        "this is the variance after the division": np.ones(2),
        "components are uniform between 0 and 1: draw them standard normal": d_k * 7 / 144,
    }
    _near(raw, d_k, n, d_k, mistakes, "raw variance")


@exercise("1.7")
def test_scaled_variance(student, rng):
    """After the division by √d_k the variance is 1."""
    d_k, n = np.array([8.0, 32.0]), 300
    scaled = _statistics(student, rng, [8, 32], n)[1]
    mistakes = {
        "the scores are divided by d_k instead of √d_k": 1 / d_k,
        "the scores are not divided": d_k,
        "the variance is divided by √d_k: divide the scores, then take the variance": np.sqrt(d_k),
    }
    _near(scaled, d_k, n, np.ones(2), mistakes, "scaled variance")


@exercise("1.7")
def test_all_samples_count(student, rng):
    """100 queries give steady estimates: twelve of them differ by a few per cent."""
    raw, scaled, largest = _statistics(student, rng, [8] * 12, 100)
    expected = _six_errors(8, 100) / 6
    for what, values in (("raw", np.asarray(raw) / 8), ("scaled", np.asarray(scaled))):
        expect.shape(values, (12,), what=f"the {what} variance", read=READ)
        spread = float(np.std(values))
        expect.true(
            spread < 3 * expected, expected=f"{what} variances that differ by {expected:.0%}",
            got=f"by {spread:.0%}", read="exercise 1.7",
            otherwise="one query only, whatever n_samples is: its length is in all 32 scores"
            if spread > 0.3 else "fewer than n_samples queries are used",
        )  # fmt: skip
    expect.shape(largest, (12, 2), what="max_weight", otherwise="(D, 2): raw, scaled", read=READ)
    spread = float(np.std(np.asarray(largest)[:, 0]))
    expect.true(
        spread < 0.06, expected="mean largest weights that differ by 0.02", got=f"by {spread:.2f}",
        otherwise="the largest weight of one query: average it over n_samples queries", read=READ,
    )  # fmt: skip


@exercise("1.7", weight=2)
def test_largest_weights(student, rng):
    """The mean largest of 32 weights, raw and scaled, agrees with a simulation."""
    n, many = 300, 3000
    got = np.asarray(_statistics(student, rng, [4, 48], n)[2], dtype=float)
    expect.shape(got, (2, 2), what="max_weight", otherwise="(D, 2): raw, scaled", read=READ)
    for row, d_k in enumerate((4, 48)):
        # Given a query, its scores are independent normal numbers with its length as deviation.
        length = np.sqrt(rng.chisquare(d_k, size=(many, 1)))
        scores = length * rng.normal(size=(many, N_KEYS))
        columns = []
        for scaled in (scores, scores / np.sqrt(d_k)):
            e = np.exp(scaled - scaled.max(axis=1, keepdims=True))
            columns.append(1 / e.sum(axis=1))
        want = np.array([column.mean() for column in columns])
        error = 6 * np.array([column.std() for column in columns]) * np.sqrt(1 / n + 1 / many)
        highest = [column.max() for column in columns]
        if np.all(np.abs(got[row] - want) < error):
            continue
        cause = "softmax over the 32 keys of a query, its maximum, then the mean over the queries"
        if np.all(np.abs(got[row][::-1] - want) < error):
            cause = "the columns are exchanged: raw first"
        elif np.all(np.abs(got[row] - 1 / N_KEYS) < 0.01):
            cause = "1/32 is the mean weight: take the maximum of every row"
        elif abs(got[row, 1] - want[0]) < error[0]:
            cause = "the scaled column holds the raw weights"
        elif np.all(got[row] > want + error) and abs(got[row, 1] - highest[1]) < 0.25:
            cause = "the largest of all weights: average over the queries"
        raise expect.Failure(
            f"d_k = {d_k}: largest weights {expect.show(want)}, ± {error.max():.2f}",
            expect.show(got[row]),
            cause,
            READ,
        )

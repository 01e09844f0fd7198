"""Hidden tests of exercise 5.10: how often each configuration would win a repeated study."""

import math

import numpy as np
from scipy import stats

from autograder.a5.study_rows import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.checking.shown import show

MISTAKE = known_mistakes(__file__)

READ = "the docstring of chance_of_being_best"
N_DRAWS = 40_000


def chances(means, errors):
    """The probability that each of independent normal variables is the largest, by integration."""
    means, errors = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
    wide = 9 * errors.max()
    x = np.linspace(means.min() - wide, means.max() + wide, 40_001)
    below = stats.norm.cdf((x[:, None] - means) / errors)
    density = stats.norm.pdf((x[:, None] - means) / errors) / errors
    others = [np.delete(below, i, axis=1).prod(axis=1) for i in range(len(means))]
    step = x[1] - x[0]
    return np.array([float((density[:, i] * others[i]).sum() * step) for i in range(len(means))])


def shares(student, means, s, n_seeds, seed=0, **options):
    """The shares, from a generator on the student's side."""
    made = answered(
        lambda: student.chance_of_being_best(
            means, s, n_seeds, student.make(f"np.random.default_rng({int(seed)})"), **options
        ),
        "draw all means at once from `rng`, an np.random.Generator",
        READ,
    )
    expect.shape(
        list(made) if isinstance(made, tuple) else made,
        (len(means),),
        otherwise=MISTAKE.chance_never_winning_left_out,
        read=READ,
        what="the shares",
    )
    return np.asarray(made, dtype=float)


def mistakes(means, s, n_seeds):
    means, n = np.asarray(means), np.asarray(n_seeds, dtype=float)
    right = s / np.sqrt(n)
    pairs = stats.norm.cdf((means - means.max()) / np.hypot(right, right[means.argmax()]))
    winner = np.zeros(len(means))
    winner[means.argmax()] = 1.0
    return {
        MISTAKE.chance_without_root_n: chances(means, np.full(len(n), s)),
        MISTAKE.chance_divided_by_n: chances(means, s / n),
        MISTAKE.chance_one_n_for_all: chances(means, np.full(len(n), right[0])),
        "all have the mean n: each has its own `n_seeds`": chances(
            means, np.full(len(n), s / math.sqrt(n.mean()))
        ),
        "the standard error is s · √n: more seeds make a mean more certain": chances(
            means, s * np.sqrt(n)
        ),
        MISTAKE.chance_lowest_wins: chances(-means, right),
        MISTAKE.chance_against_measured_best: stats.norm.sf((means.max() - means) / right),
        MISTAKE.chance_against_best_alone: pairs,
        "the measured winner always wins: draw the means": winner,
        MISTAKE.chance_variance_as_error: chances(means, s**2 / n),
    }


def check(student, means, s, n_seeds, seed):
    want = chances(means, s / np.sqrt(n_seeds))
    found = shares(student, means, s, n_seeds, seed, n_draws=N_DRAWS)
    expect.true(
        not np.any(found > 1.5),
        expected="shares between 0 and 1",
        got=show(found),
        otherwise="the share of the draws in which each one is the highest",
        read=READ,
    )
    expect.by_chance(
        found,
        want,
        np.sqrt(want * (1 - want) / N_DRAWS),
        otherwise="draw each mean with the standard error s / √n, and count who is the highest",
        read=READ,
        what=f"the shares for means {show(np.asarray(means))}, s = {s:.3f}, n = {n_seeds}",
    )


@exercise("5.10", weight=2)
def test_shares(student, rng):
    """The shares are those of normal means with the standard errors s / √n."""
    base, seed = float(0.8 + 0.05 * rng.random()), rng.integers(10**6)
    check(student, [base, base + 0.02], 0.06, [9, 9], seed)
    check(student, [base, base + 0.006, base + 0.012], 0.03, [16, 9, 4], seed + 1)


@exercise("5.10")
def test_percent(student, rng):
    """The scale of the qualities does not matter."""
    base, seed = float(70 + 10 * rng.random()), rng.integers(10**6)
    check(student, [base + 2.0, base, base + 1.5, base - 1.0], 3.0, [4, 2, 3, 8], seed)


@exercise("5.10")
def test_shares_of_all(student, rng):
    """The shares sum to 1, also where some configurations never win."""
    base, seed = float(0.8 + 0.05 * rng.random()), rng.integers(10**6)
    for means in ([base, base + 0.01, base - 0.5], [base - 0.5, base], [base]):
        found = shares(student, means, 0.02, [3] * len(means), seed, n_draws=2000)
        expect.close(
            found.sum(),
            1.0,
            atol=1e-9,
            otherwise="exactly one configuration is the best in each repeated study",
            read=READ,
            what="the sum of the shares",
        )
        if len(means) > 1:
            expect.equal(
                float(found[means.index(base - 0.5)]),
                0.0,
                read=READ,
                what="the share of a configuration that is 40 standard errors below the best",
            )


@exercise("5.10")
def test_n_draws(student, rng):
    """`n_draws` is the number of repeated studies, 10,000 if it is not given."""
    means, seed = [0.8, 0.801, 0.799], rng.integers(10**6)
    for given, n_draws in (({"n_draws": 7}, 7), ({}, 10_000)):
        found = shares(student, means, 0.02, [3, 3, 3], seed, **given)
        wins = found * n_draws
        other = found * 10_000
        expect.true(
            bool(np.allclose(wins, np.round(wins), atol=1e-6)),
            expected=f"whole numbers of wins in {n_draws} draws",
            got=show(found),
            otherwise="count the wins, and divide by `n_draws`",
            read=READ,
        )


@exercise("5.10")
def test_generator(student, rng):
    """All randomness comes from `rng`, and numpy's global generator stays as it is."""
    # eight configurations: two draws give equal shares once in 10^12 runs
    means, n_seeds, seed = [0.8] * 8, [3] * 8, int(rng.integers(10**6))
    draw = student.make("lambda: float(np.random.random())")
    found, after = [], []
    for global_seed, own in ((1, seed), (1, seed), (2, seed), (1, seed + 1)):
        student.make(f"np.random.seed({global_seed})")
        found.append(shares(student, means, 0.02, n_seeds, own).tolist())
        after.append(draw())
    student.make("np.random.seed(1)")
    untouched = draw()
    first, again, other_global, other = found
    expect.true(
        first == other_global,
        expected="the same shares from equal generators",
        got=f"{first[:3]} …, then {other_global[:3]} …",
        otherwise="the draw depends on something other than `rng`",
        read=READ,
    )
    expect.true(
        first != other,
        expected="other shares from another generator",
        got="the same",
        read=READ,
    )
    expect.true(
        after[0] == untouched,
        expected="numpy's global generator in the same state as before",
        got="another state",
        read=READ,
    )

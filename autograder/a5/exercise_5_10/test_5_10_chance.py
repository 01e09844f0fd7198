"""Hidden tests of exercise 5.10: how often each configuration would win a repeated study."""

import numpy as np

from grader.checking.question import question

READ = "the docstring of chance_of_being_best"
DRAW = "draw each mean with the standard error s / √n, and count who is the highest"


def shares(its, means, s, n_seeds, seed=0, **options):
    """The shares, from a generator on the student's side."""
    rng = its.make(f"np.random.default_rng({int(seed)})")
    return np.asarray(its.chance_of_being_best(means, s, n_seeds, rng, **options))


@question("5.10", weight=3, advice=DRAW, read=READ, atol=0.02, rtol=0.0)
def test_shares(its, rng):
    """The shares are those of normal means with the standard errors s / √n."""
    base, seed = float(0.8 + 0.05 * rng.random()), rng.integers(10**6)
    three = [base, base + 0.006, base + 0.012]
    many = {"n_draws": 100_000}  # so the shares of two right answers differ by some 0.002
    return {
        "two": shares(its, [base, base + 0.02], 0.06, [9, 9], seed, **many),
        "three": shares(its, three, 0.03, [16, 9, 4], seed + 1, **many),
    }


@question("5.10", advice=DRAW, read=READ, atol=0.02, rtol=0.0)
def test_percent(its, rng):
    """The scale of the qualities does not matter."""
    base, seed = float(70 + 10 * rng.random()), rng.integers(10**6)
    means = [base + 2.0, base, base + 1.5, base - 1.0]
    return shares(its, means, 3.0, [4, 2, 3, 8], seed, n_draws=100_000)


@question("5.10", advice="one share for each configuration", read=READ)
def test_shares_of_all(its, rng):
    """The shares sum to 1, also where some configurations never win."""
    base = float(0.8 + 0.05 * rng.random())
    found = {}
    for means in ([base, base + 0.01, base - 0.5], [base - 0.5, base], [base]):
        own = shares(its, means, 0.02, [3] * len(means), n_draws=2000)
        found |= {f"shares of {len(means)}": len(own), f"sum of {len(means)} shares": own.sum()}
        found[f"share of the one far below in {len(means)}"] = own[-1] if len(own) == 3 else own[0]
    return found


@question("5.10", advice="count the wins, and divide by `n_draws`", read=READ)
def test_n_draws(its, rng):
    """`n_draws` is the number of repeated studies, 10,000 if it is not given."""
    found = {}
    for n_draws, given in ((7, {"n_draws": 7}), (10_000, {})):
        own = shares(its, [0.8, 0.801, 0.799], 0.02, [3, 3, 3], rng.integers(10**6), **given)
        whole = np.allclose(own * n_draws, np.round(own * n_draws), atol=1e-6)
        found[f"whole numbers of wins in {n_draws} draws"] = bool(
            whole and abs(own.sum() - 1) < 0.1
        )
    return found


@question("5.10", advice="draw from `rng` alone", read=READ)
def test_generator(its, rng):
    """All randomness comes from `rng`, and numpy's global generator stays as it is."""
    # eight configurations: two draws give equal shares once in 10^12 runs
    seed, found, after = int(rng.integers(10**6)), [], []
    for global_seed, own in ((1, seed), (2, seed), (1, seed + 1)):
        its.make(f"np.random.seed({global_seed})")
        found.append(shares(its, [0.8] * 8, 0.02, [3] * 8, own).tolist())
        after.append(its.make("float(np.random.random())").get())
    its.make("np.random.seed(1)")
    return {
        "equal generators give equal shares": found[0] == found[1],
        "another generator gives other shares": found[0] != found[2],
        "numpy's global generator stays as it is": after[0]
        == its.make("float(np.random.random())").get(),
    }

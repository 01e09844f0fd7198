"""Hidden tests of exercise 5.10: how often each configuration would win a repeated study."""

import numpy as np

from grader.checking.question import question

READ = "the docstring of chance_of_being_best"
DRAW = "draw each mean with the standard error s / √n, and count who is the highest"


def shares(its, means, s, n_seeds, seed, **options):
    """The shares, from a generator on the student's side."""
    rng = its.make(f"np.random.default_rng({seed})")
    return np.asarray(its.chance_of_being_best(means, s, n_seeds, rng, **options))


@question("5.10", weight=5, advice=DRAW, read=READ, atol=0.02, rtol=0.0)
def test_shares(its, rng):
    """The shares are those of normal means with the standard errors s / √n, one for each."""
    cases = [
        ([0.8, 0.82], 0.06, [9, 9]),
        ([0.8, 0.806, 0.812], 0.03, [16, 9, 4]),
        ([76.0, 74.0, 75.5, 73.0, 20.0], 3.0, [4, 2, 3, 8, 3]),
    ]  # with as many draws, the shares of two right answers differ by some 0.002
    return [shares(its, *case, rng.integers(10**6), n_draws=100_000) for case in cases]


@question("5.10", advice="count the wins, and divide by `n_draws`", read=READ)
def test_n_draws(its, rng):
    """`n_draws` is the number of repeated studies, 10,000 if it is not given."""
    found = {}
    for n_draws, given in ((7, {"n_draws": 7}), (10_000, {})):
        wins = n_draws * shares(its, [0.8] * 30, 0.02, [3] * 30, 5, **given)
        whole = abs(wins.sum() - n_draws) < 0.1 * n_draws and np.allclose(wins, wins.round())
        whole &= (wins.round() % 2).any()
        found[f"whole numbers of wins in {n_draws} draws"] = bool(whole)
    return found


@question("5.10", weight=2, advice="draw from `rng` alone", read=READ)
def test_generator(its, rng):
    """All randomness comes from `rng`, and numpy's global generator stays as it is."""
    # eight configurations: two draws give equal shares once in 10^12 runs
    seed, found, after = int(rng.integers(10**6)), [], []
    for own in (seed, seed, seed + 1):
        its.make(f"np.random.seed({len(found)})")
        found.append(shares(its, [0.8] * 8, 0.02, [3] * 8, own).tolist())
        after.append(its.make("float(np.random.random())").get())
    undisturbed = [np.random.RandomState(n).random_sample() for n in range(3)]
    return {
        "equal generators give equal shares": found[0] == found[1],
        "another generator gives other shares": found[0] != found[2],
        "numpy's global generator stays as it is": after == undisturbed,
    }

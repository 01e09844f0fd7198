"""Hidden tests of exercise 5.10: how often each configuration would win, and which to take."""

import numpy as np

from autograder.a5.study_rows import line
from grader.checking.question import question, refusal

CHANCE = "the docstring of chance_of_being_best"
DRAW = "draw each mean with the standard error s / √n, and count who is the highest"
RECOMMEND = "the docstring of recommend"
CHEAPEST = "of the rows that are less than `margin` below the best, take the cheapest"
SOUND = "leave out every row with `failed` above 0, or without a complete trial"


def shares(its, means, s, n_seeds, seed, **options):
    """The shares, from a generator on the student's side."""
    rng = its.make(f"np.random.default_rng({seed})")
    return np.asarray(its.chance_of_being_best(means, s, n_seeds, rng, **options))


@question("5.10", weight=5, advice=DRAW, read=CHANCE, atol=0.02, rtol=0.0)
def test_shares(its, rng):
    """The shares are those of normal means with the standard errors s / √n, one for each."""
    cases = [
        ([0.8, 0.82], 0.06, [9, 9]),
        ([0.8, 0.806, 0.812], 0.03, [16, 9, 4]),
        ([76.0, 74.0, 75.5, 73.0, 20.0], 3.0, [4, 2, 3, 8, 3]),
    ]  # with as many draws, the shares of two right answers differ by some 0.002
    return [shares(its, *case, rng.integers(10**6), n_draws=100_000) for case in cases]


@question("5.10", advice="count the wins, and divide by `n_draws`", read=CHANCE)
def test_n_draws(its, rng):
    """`n_draws` is the number of repeated studies, 10,000 if it is not given."""
    found = {}
    for n_draws, given in ((7, {"n_draws": 7}), (10_000, {})):
        wins = n_draws * shares(its, [0.8] * 30, 0.02, [3] * 30, 5, **given)
        whole = abs(wins.sum() - n_draws) < 0.1 * n_draws and np.allclose(wins, wins.round())
        whole &= (wins.round() % 2).any()
        found[f"whole numbers of wins in {n_draws} draws"] = bool(whole)
    return found


@question("5.10", weight=2, advice="draw from `rng` alone", read=CHANCE)
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


def row(n_layers, mean, seconds, failed=0, n=3, pruned=0):
    """A line; its parameters are mostly in the opposite order of its seconds."""
    measured = {"train_seconds": seconds, "parameters": -n_layers} if n else {}
    near = [mean + 0.5, mean - 0.5, mean][:n]
    return line({"n_layers": n_layers}, near, failed, pruned=pruned, **measured)


@question("5.10", weight=2.5, advice=CHEAPEST, read=RECOMMEND)
def test_cheapest_of_the_good(its, rng):
    """Of the configurations less than the margin below the best, the cheapest is taken."""
    rows = [row(6, 90, 50.0), row(5, 89.5, 40.0), row(8, 88.5, 90.0), row(4, 88, 30.0)]
    rows.append(row(2, 80, 10.0))
    cases = [(m, "train_seconds") for m in (2.5, 2.0, 0.25)] + [(2.5, "parameters")]
    after = its.make("lambda f, rows: (f(rows, 2.5, 'train_seconds'), rows)[1]")
    return {f"margin {m}, cost {cost}": its.recommend(rows, m, cost) for m, cost in cases} | {
        "the rows afterwards": [one["n_layers"] for one in after(its.recommend, rows)]
    }


@question("5.10", weight=2, advice=SOUND, read=RECOMMEND)
def test_failed_trials(its, rng):
    """A configuration with a failed or without a complete trial is nothing to recommend."""
    nothing = [row(2, 0, 1.0, n=0, pruned=2), row(3, 0, 1.0, failed=2, n=0)]
    failed = [row(6, 90, 50.0), row(4, 89.5, 30.0), row(2, 89, 5.0, failed=1), *nothing]
    best = [row(8, 91, 90.0, failed=2), row(6, 90, 50.0), row(4, 88.5, 30.0)]
    pruned = [row(6, 90, 50.0), row(4, 89.5, 30.0, pruned=1), row(8, 89, 40.0)]
    cases = {"a cheap one has failed": failed, "the best one has failed": best}
    cases["a trial was pruned"] = pruned
    return {name: its.recommend(rows, 2.0, "train_seconds") for name, rows in cases.items()} | {
        f"nothing among {len(rows)}": refusal(lambda rows=rows: its.recommend(rows, 2.0, "n"))
        for rows in (nothing, best[:1])
    }


@question("5.10", advice="of equally cheap ones take the better", read=RECOMMEND)
def test_cost_decides(its, rng):
    """Of equally cheap ones the better is taken; a mean may be 0."""
    cheap = [row(6, 1, 50.0), row(3, 0, 20.0), row(2, -0.5, 20.0)]
    cases = {"equally cheap": cheap, "the better one last": cheap[::-1]}
    return {name: its.recommend(rows, 3.0, "train_seconds") for name, rows in cases.items()}

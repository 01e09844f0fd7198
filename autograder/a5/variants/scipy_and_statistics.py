"""Style: statistics and scipy.stats do the work; a tuple of places, own exceptions."""

import statistics


class Mixed(ValueError):
    """Raised for trials that cannot be compared."""


def summarize(rows, factors, measures=()):
    factors, lines = list(factors), {}
    for row in rows:
        lines.setdefault(str([row[f] for f in factors]), []).append(row)
    lengths = [row["steps"] for row in rows if row["status"] == "complete"]
    if lengths and min(lengths) != max(lengths):
        raise Mixed(f"{min(lengths)} and {max(lengths)} steps")

    def one(trials):
        by = {"complete": [], "pruned": [], "failed": []}
        for trial in trials:
            by[trial["status"] if trial["status"] in by else "failed"].append(trial)
        done = by["complete"]
        if len(done) > len({trial["seed"] for trial in done}):
            raise Mixed("a seed is repeated")
        line = {factor: trials[0][factor] for factor in factors}
        line.update(n=len(done), failed=len(by["failed"]), pruned=len(by["pruned"]))
        line["qualities"] = [trial["quality"] for trial in done]
        line.update(mean=None, low=None, high=None)
        line.update(dict.fromkeys(measures))
        if done:
            line["mean"], line["low"], line["high"] = mean_interval(line["qualities"])
            line.update({m: statistics.fmean(t[m] for t in done) for m in measures})
        return line

    made = [one(trials) for trials in lines.values()]
    return sorted(made, key=lambda x: float("inf") if x["mean"] is None else -x["mean"])


def recommend(summary, margin, cost):
    sound = [row for row in summary if row["n"] > row["failed"] == 0]
    try:
        best = max(row["mean"] for row in sound)
    except ValueError:
        raise ValueError("every configuration has failed") from None
    choice, *_ = sorted(
        (row for row in sound if row["mean"] - best > -margin),
        key=lambda row: [row[cost], -row["mean"]],
    )
    return choice


def chance_of_being_best(means, s, n_seeds, rng, n_draws=10_000):
    covariance = np.diag([s**2 / n for n in n_seeds])
    drawn = rng.multivariate_normal(means, covariance, size=n_draws)
    best = drawn.argsort(axis=1)[:, -1]
    return np.mean(best[:, None] == np.arange(len(means)), axis=0)

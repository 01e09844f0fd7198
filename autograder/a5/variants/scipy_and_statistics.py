"""Style: statistics and scipy.stats do the work; a tuple of places, own exceptions."""

import statistics

import scipy.stats


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


def holm(p_values):
    ranks = scipy.stats.rankdata(p_values, method="ordinal") - 1
    m = len(p_values)
    raised = [(m - rank) * p for rank, p in zip(ranks, p_values, strict=False)]
    return [
        float(min(1, max(q for q, other in zip(raised, ranks, strict=False) if other <= rank)))
        for rank in ranks
    ]


def sensitivity(summary, default, factors, level=0.95):
    def found(wanted):
        lines = [one for one in summary if all(one[f] == wanted[f] for f in factors)]
        return lines[0] if lines and lines[0]["n"] else None

    base = found(default)
    if not base:
        raise ValueError("no default")
    s, degrees = pooled_noise([one["qualities"] for one in summary if one["n"] > 0])
    rows = []
    for factor, levels in factors.items():
        for other in [x for x in levels if x != default[factor]]:
            line = found(default | {factor: other})
            if line:
                error = s * statistics.fmean([1 / line["n"], 1 / base["n"]]) ** 0.5 * 2**0.5
                t = scipy.stats.t(degrees, loc=line["mean"] - base["mean"], scale=error)
                row = {"factor": factor, "level": other, "difference": t.mean()}
                row.update(low=t.ppf((1 - level) / 2), high=t.isf((1 - level) / 2))
                rows.append(row | {"p": 2 * min(t.cdf(0), t.sf(0))})
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=False):
        row["adjusted"] = p
    return rows


def pareto_front(points, maximize):
    signed = [
        tuple(x * (1 if up else -1) for x, up in zip(p, maximize, strict=False)) for p in points
    ]
    if any(x != x for p in signed for x in p):
        raise ValueError("NaN")
    kept = set()
    for p in sorted(set(signed), reverse=True):  # who dominates comes first
        if not any(all(a >= b for a, b in zip(q, p, strict=False)) for q in kept):
            kept.add(p)
    return [i for i, p in enumerate(signed) if p in kept]


def successive_halving(curves, rungs, eta=3):
    length = len(curves[0])
    if any(len(curve) != length for curve in curves):
        raise Mixed("lengths")
    if sorted({*rungs}) != [*rungs] or not {*rungs} <= {*range(1, length)}:
        raise ValueError(f"{rungs} for {length} steps")
    taken = [length] * len(curves)
    left = set(range(len(curves)))
    for rung in rungs:
        ranks = scipy.stats.rankdata([-curves[i][rung - 1] for i in sorted(left)], method="ordinal")
        ended = {
            i for i, rank in zip(sorted(left), ranks, strict=False) if rank > -(len(left) // -eta)
        }
        for i in ended:
            taken[i] = rung
        left -= ended
    return tuple(sorted(left)), sum(taken)


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

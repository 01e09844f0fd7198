"""Style: dictionaries, itertools and functions as arguments."""

import itertools
import operator
from collections import Counter, defaultdict
from functools import reduce

from scipy import stats


def _key(factors):
    return lambda row: tuple(map(row.get, factors))


def summarize(rows, factors, measures=()):
    key = _key(factors)
    places = {k: i for i, k in reversed(list(enumerate(map(key, rows))))}
    ordered = sorted(rows, key=lambda row: places[key(row)])  # stable: the order of rows stays
    finished = list(filter(lambda row: row["status"] == "complete", rows))
    if len(Counter(map(operator.itemgetter("steps"), finished))) > 1:
        raise ValueError("trainings of different lengths")
    if max(Counter((key(row), row["seed"]) for row in finished).values(), default=1) > 1:
        raise ValueError("two trials with one seed")
    table = defaultdict(list)
    for levels, own in itertools.groupby(ordered, key):
        trials = list(own)
        kinds = Counter(trial["status"] for trial in trials)
        n, pruned = kinds.pop("complete", 0), kinds.pop("pruned", 0)
        own = [trial for trial in trials if trial["status"] == "complete"]
        qualities = list(map(operator.itemgetter("quality"), own))
        line = dict(zip(factors, levels, strict=False))
        line |= {"n": n, "failed": sum(kinds.values()), "pruned": pruned, "qualities": qualities}
        ends = mean_interval(qualities) if n else itertools.repeat(None)
        line |= dict(zip(("mean", "low", "high"), ends, strict=False))
        line |= {m: sum(map(operator.itemgetter(m), own)) / n if n else None for m in measures}
        table[n > 0].append(line)
    return sorted(table[True], key=operator.itemgetter("mean"), reverse=True) + table[False]


def holm(p_values):
    ordered = sorted(enumerate(p_values), key=operator.itemgetter(1))
    factors = range(len(p_values), 0, -1)
    raised = itertools.accumulate((f * p for f, (_, p) in zip(factors, ordered, strict=False)), max)
    by_place = {place: min(1.0, p) for (place, _), p in zip(ordered, raised, strict=False)}
    return [by_place[place] for place in range(len(p_values))]


def sensitivity(summary, default, factors, level=0.95):
    key = _key(factors)
    known = {key(line): line for line in summary if line["qualities"]}
    try:
        base = known[key(default)]
    except KeyError:
        raise ValueError("the default has not been measured") from None
    s, degrees = pooled_noise([line["qualities"] for line in known.values()])
    changes = [
        (factor, other)
        for factor, levels in factors.items()
        for other in levels
        if other != default[factor] and key({**default, factor: other}) in known
    ]

    def row(factor, other):
        line = known[key({**default, factor: other})]
        error = s * (1 / line["n"] + 1 / base["n"]) ** 0.5
        difference = line["mean"] - base["mean"]
        low, high = stats.t.interval(level, degrees, loc=difference, scale=error)
        p = stats.f.sf((difference / error) ** 2, 1, degrees)
        return {
            "factor": factor,
            "level": other,
            "difference": difference,
            "low": low,
            "high": high,
            "p": p,
        }

    made = list(itertools.starmap(row, changes))
    adjusted = holm(list(map(operator.itemgetter("p"), made)))
    return [one | {"adjusted": p} for one, p in zip(made, adjusted, strict=False)]


def pareto_front(points, maximize):
    if any(x != x for x in itertools.chain.from_iterable(points)):
        raise ValueError("NaN")
    beaten = set()
    for i, j in itertools.permutations(range(len(points)), 2):
        pairs = [
            (a, b) if up else (b, a)
            for a, b, up in zip(points[i], points[j], maximize, strict=False)
        ]
        if all(itertools.starmap(operator.ge, pairs)) and any(
            itertools.starmap(operator.gt, pairs)
        ):
            beaten.add(j)
    return sorted(set(range(len(points))) - beaten)


def successive_halving(curves, rungs, eta=3):
    (length, *others) = set(map(len, curves))
    limits = [0, *rungs, length]
    if others or not all(itertools.starmap(operator.lt, zip(limits, limits[1:], strict=False))):
        raise ValueError(f"lengths {[length, *others]}, rungs {rungs}")

    def ended(left, rung):
        ranked = sorted(left, key=lambda i: (-curves[i][rung - 1], i))
        return set(itertools.islice(ranked, (len(left) - 1) // eta + 1))

    fields = list(itertools.accumulate(rungs, ended, initial=set(range(len(curves)))))
    gaps = [end - start for start, end in zip(limits, limits[1:], strict=False)]
    return sorted(fields[-1]), sum(map(operator.mul, map(len, fields), gaps))


def recommend(summary, margin, cost):
    sound = [row for row in summary if row["mean"] is not None and row["failed"] == 0]
    if not sound:
        raise ValueError("no sound row")
    best = reduce(max, map(operator.itemgetter("mean"), sound))
    good = [row for row in sound if row["mean"] > best - margin]
    good.sort(key=operator.itemgetter("mean"), reverse=True)
    good.sort(key=operator.itemgetter(cost))  # stable
    return good[0]


def chance_of_being_best(means, s, n_seeds, rng, n_draws=10_000):
    errors = [s * n**-0.5 for n in n_seeds]
    draws = (rng.normal(means, errors) for _ in range(n_draws))
    wins = Counter(int(drawn.argmax()) for drawn in draws)
    return np.array([wins[i] / n_draws for i in range(len(means))])

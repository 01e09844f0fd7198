"""Neutral substitutes for assignment 5: the names of the starter, in SciPy's and plain operations.

When a test fails because an earlier exercise is wrong, it is run again with the definition of that
name from here.
"""

import math
import random
from itertools import product

import numpy as np
import torch
from scipy import stats


def one_at_a_time(default, factors):
    """The default, then one change for each other level of each factor."""
    for factor in factors:
        if factor not in default or default[factor] not in factors[factor]:
            raise ValueError(f"{factor} of the default is not among its levels")
    changes = [
        (factor, level)
        for factor, levels in factors.items()
        for level in levels
        if level != default[factor]
    ]
    return [dict(default)] + [{**default, factor: level} for factor, level in changes]


def sampled_design(factors, n, seed, taken=()):
    """A random sample of the combinations that are not taken."""
    every = [dict(zip(factors, levels, strict=True)) for levels in product(*factors.values())]
    left = [one for one in every if one not in taken]
    if len(left) < n:
        raise ValueError(f"{len(left)} combinations are left, {n} were asked for")
    return random.Random(seed).sample(left, n)


def run_trial(configuration, seed, task, after_evaluation=None):
    """One seeded training with its curve and its times."""
    torch.manual_seed(seed)
    model = task.model(configuration)
    steps = task.training(model, configuration, seed)
    curve, laps = [], []
    for step in range(1, task.n_steps + 1):
        start = task.clock()
        trained = next(steps)
        laps.append((task.clock() - start, trained["tokens"]))
        if not math.isfinite(trained["loss"]):
            raise FloatingPointError(f"the loss of step {step} is {trained['loss']}")
        if step % task.evaluate_every == 0 or step == task.n_steps:
            measured = task.validate(model)
            curve.append({"step": step, **measured})
            if after_evaluation is not None:
                after_evaluation(step, measured)
    seconds = sum(lap[0] for lap in laps[task.untimed_steps :])
    row = {**configuration, "seed": seed, "steps": task.n_steps, "curve": curve}
    row["parameters"] = sum(p.numel() for p in model.parameters())
    row["quality"], row["validation_loss"] = curve[-1]["quality"], curve[-1]["loss"]
    row["train_seconds"] = seconds
    row["tokens_per_second"] = sum(lap[1] for lap in laps[task.untimed_steps :]) / seconds
    return {**row, **task.inference(model)}


def attempt(trial):
    """The trial's row with its status, or a row that says why there is none."""
    try:
        row = trial()
    except FloatingPointError as error:
        return {"status": "diverged", "reason": str(error)}
    except (MemoryError, torch.OutOfMemoryError) as error:
        return {"status": "out of memory", "reason": str(error)}
    except TimeoutError as error:
        return {"status": "timed out", "reason": str(error)}
    return {**row, "status": "complete"}


def mean_interval(values, level=0.95):
    """The mean and its interval, from SciPy's standard error of the mean."""
    if len(values) == 0:
        raise ValueError("no values")
    mean = float(np.mean(values))
    if len(values) == 1:
        return mean, -math.inf, math.inf
    wide = -float(stats.t.ppf((1 - level) / 2, len(values) - 1) * stats.sem(values))
    return mean, mean - wide, mean + wide


def pooled_noise(groups):
    """The standard deviation around the groups' own means, and its degrees of freedom."""
    around = [np.subtract(group, np.mean(group)) for group in groups if len(group)]
    degrees = sum(map(len, around)) - len(around)
    if degrees < 1:
        raise ValueError("no group has two values")
    return float(np.linalg.norm(np.concatenate(around)) / math.sqrt(degrees)), degrees


def detectable_difference(s, degrees, n_seeds, level=0.95):
    """The half width of the interval of a difference of two means."""
    return float(stats.t.isf((1 - level) / 2, degrees) * s * math.sqrt(2 / n_seeds))


def holm(p_values):
    """Adjusted p-values: multiplied by what is left, and never falling."""
    order = np.argsort(p_values, kind="stable")
    found = np.empty(len(order))
    left = np.arange(len(order), 0, -1)
    found[order] = np.maximum.accumulate(np.take(p_values, order) * left).clip(max=1.0)
    return found.tolist()


def summarize(rows, factors, measures=()):
    """One line for each combination of levels, made from its complete trials."""
    done = [row for row in rows if row["status"] == "complete"]
    if np.ptp([row["steps"] for row in done] or [0]) > 0:
        raise ValueError("complete trials took different numbers of steps")
    lines = []
    for levels in dict.fromkeys(tuple(map(row.get, factors)) for row in rows):
        statuses = [row["status"] for row in rows if tuple(map(row.get, factors)) == levels]
        own = [row for row in done if tuple(map(row.get, factors)) == levels]
        seeds, values = [row["seed"] for row in own], [row["quality"] for row in own]
        if len(set(seeds)) < len(seeds):
            raise ValueError(f"two complete trials of {levels} have one seed")
        n, pruned = len(own), statuses.count("pruned")
        mean, low, high = mean_interval(values) if own else (None, None, None)
        line = dict(zip(factors, levels, strict=True)) | {"n": n, "pruned": pruned}
        line |= {"failed": len(statuses) - n - pruned, "qualities": values}
        line |= {"mean": mean, "low": low, "high": high}
        for name in measures:
            line[name] = np.mean([row[name] for row in own]) if own else None
        lines.append(line)
    with_mean = [line for line in lines if line["n"]]
    with_mean.sort(key=lambda line: line["mean"], reverse=True)
    return with_mean + [line for line in lines if not line["n"]]


def sensitivity(summary, default, factors, level=0.95):
    """The difference of each single change from the default, by SciPy's t distribution."""
    known = [line for line in summary if line["n"]]
    s, degrees = pooled_noise([line["qualities"] for line in known])

    def of(configuration):
        same = [line for line in known if all(line[f] == configuration[f] for f in factors)]
        return same[0] if same else None

    base, rows = of(default), []
    if base is None:
        raise ValueError("the default has no complete trial")
    for factor, other in [(f, o) for f in factors for o in factors[f] if o != default[f]]:
        if (line := of({**default, factor: other})) is not None:
            difference = line["mean"] - base["mean"]
            t = stats.t(degrees, scale=s * math.sqrt(1 / line["n"] + 1 / base["n"]))
            low, high = (difference + end for end in t.interval(level))
            ends = {"low": low, "high": high, "p": 2 * t.cdf(-abs(difference))}
            rows.append({"factor": factor, "level": other, "difference": difference, **ends})
    adjusted = holm([row["p"] for row in rows])
    return [{**row, "adjusted": p} for row, p in zip(rows, adjusted, strict=True)]


def pareto_front(points, maximize):
    """The places of the points that no other one dominates, by comparing all pairs."""
    if any(math.isnan(value) for point in points for value in point):
        raise ValueError("a point has NaN")
    signs = [1 if up else -1 for up in maximize]
    gains = [tuple(map(float.__mul__, map(float, p), map(float, signs))) for p in points]
    return [
        i
        for i, own in enumerate(gains)
        if not any(o != own and all(a >= b for a, b in zip(o, own, strict=True)) for o in gains)
    ]


def successive_halving(curves, rungs, eta=3):
    """The trials that are left after all rungs, and the steps that all of them took."""
    if len({len(curve) for curve in curves}) != 1:
        raise ValueError("the curves have different lengths")
    edges = np.array([0, *rungs, len(curves[0])])
    if (np.diff(edges) < 1).any():
        raise ValueError(f"the rungs {list(rungs)} do not rise within the curves")
    ended = np.full(len(curves), edges[-1])
    for rung in rungs:
        left = np.flatnonzero(ended == edges[-1])
        order = np.argsort([-curves[i][rung - 1] for i in left], kind="stable")
        ended[left[order[math.ceil(len(left) / eta) :]]] = rung
    return np.flatnonzero(ended == edges[-1]).tolist(), int(ended.sum())


def recommend(summary, margin, cost):
    """The cheapest line that is as good as the best one, as far as the margin tells."""
    sound = [line for line in summary if line["n"] > 0 and line["failed"] == 0]
    good = [line for line in sound if all(o["mean"] - line["mean"] < margin for o in sound)]
    if not good:
        raise ValueError("no configuration comes into question")
    return min(sorted(good, key=lambda line: -line["mean"]), key=lambda line: line[cost])


def chance_of_being_best(means, s, n_seeds, rng, n_draws=10_000):
    """How often each of normal means is the largest."""
    drawn = rng.standard_normal((n_draws, len(means))) * s / np.sqrt(n_seeds) + means
    return (drawn == drawn.max(axis=1, keepdims=True)).mean(axis=0)

"""Style: masks, argsort and broadcasting; arrays and NumPy numbers as results."""

import numpy as np
from scipy.special import stdtr, stdtrit


def holm(p_values):
    p = np.asarray(p_values, dtype=float)
    order = p.argsort()
    raised = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)) if p.size else p
    return np.minimum(raised, 1)[order.argsort()]


def sensitivity(summary, default, factors, level=0.95):
    lines = [line for line in summary if line["n"] > 0]
    same = np.array([[line[f] == default[f] for f in factors] for line in lines])
    same = same.reshape(len(lines), len(factors))
    if not same.all(axis=1).any():
        raise ValueError("the default is missing")
    base = lines[same.all(axis=1).argmax()]
    s, degrees = pooled_noise([np.array(line["qualities"]) for line in lines])
    single = np.flatnonzero(same.sum(axis=1) == len(factors) - 1)
    changed = (~same[single]).argmax(axis=1)
    names = list(factors)
    order = sorted(
        range(len(single)),
        key=lambda i: (
            changed[i],
            list(factors[names[changed[i]]]).index(lines[single[i]][names[changed[i]]]),
        ),
    )
    difference = np.array([lines[single[i]]["mean"] - base["mean"] for i in order])
    n = np.array([lines[single[i]]["n"] for i in order])
    error = s * np.sqrt(1 / n + 1 / base["n"])
    wide = stdtrit(degrees, 0.5 + level / 2) * error
    p = 2 * stdtr(degrees, -np.abs(difference) / error)
    adjusted = holm(p)
    return [
        {
            "factor": names[changed[i]],
            "level": lines[single[i]][names[changed[i]]],
            "difference": difference[k],
            "low": difference[k] - wide[k],
            "high": difference[k] + wide[k],
            "p": p[k],
            "adjusted": adjusted[k],
        }
        for k, i in enumerate(order)
    ]


def pareto_front(points, maximize):
    values = np.array(points, dtype=np.float64)
    if not (values == values).all():
        raise ValueError("NaN")
    values = values * np.where(np.asarray(maximize), 1.0, -1.0)
    keep = [not ((values >= own).all(axis=1) & (values != own).any(axis=1)).any() for own in values]
    return np.nonzero(keep)[0]


def successive_halving(curves, rungs, eta=3):
    if len({len(curve) for curve in curves}) != 1:
        raise ValueError("lengths")
    table = np.array(curves, dtype=float)
    n, length = table.shape
    edges = np.array([0, *rungs, length])
    if np.any(np.diff(edges) < 1):
        raise ValueError(f"rungs {rungs}")
    alive, steps = np.arange(n), 0
    for start, end in zip(edges[:-1], edges[1:], strict=False):
        steps += alive.size * (end - start)
        if end < length:
            order = np.argsort(-table[alive, end - 1], kind="stable")
            alive = np.sort(alive[order[: int(np.ceil(alive.size / eta))]])
    return alive, steps

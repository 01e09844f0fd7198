"""Style: plain loops and if, no library where Python suffices."""

import math

from scipy import stats


def summarize(rows, factors, measures=()):
    table = []
    steps = None
    for row in rows:
        if row["status"] == "complete":
            if steps is not None and row["steps"] != steps:
                raise ValueError("different numbers of steps: " + str(steps))
            steps = row["steps"]
        found = None
        for line in table:
            same = True
            for factor in factors:
                if line[factor] != row[factor]:
                    same = False
            if same:
                found = line
        if found is None:
            found = {}
            for factor in factors:
                found[factor] = row[factor]
            found["n"] = found["failed"] = found["pruned"] = 0
            found["qualities"] = []
            found["seeds"] = []
            for name in measures:
                found[name] = 0.0
            table.append(found)
        if row["status"] == "complete":
            if row["seed"] in found["seeds"]:
                raise ValueError("seed " + str(row["seed"]) + " twice")
            found["seeds"].append(row["seed"])
            found["n"] += 1
            found["qualities"].append(row["quality"])
            for name in measures:
                found[name] += row[name]
        elif row["status"] == "pruned":
            found["pruned"] += 1
        else:
            found["failed"] += 1
    with_result, without = [], []
    for line in table:
        if line["n"] > 0:
            line["mean"], line["low"], line["high"] = mean_interval(line["qualities"])
            for name in measures:
                line[name] /= line["n"]
            at = 0
            while at < len(with_result) and with_result[at]["mean"] >= line["mean"]:
                at += 1
            with_result.insert(at, line)
        else:
            for name in ("mean", "low", "high", *measures):
                line[name] = None
            without.append(line)
    return with_result + without


def holm(p_values):
    result = [None] * len(p_values)
    before = 0
    for remaining in range(len(p_values), 0, -1):
        place = -1
        for i in range(len(p_values)):
            if result[i] is None and (place < 0 or p_values[i] < p_values[place]):
                place = i
        before = max(before, remaining * p_values[place])
        if before > 1:
            before = 1.0
        result[place] = before
    return result


def sensitivity(summary, default, factors, level=0.95):
    base = None
    for line in summary:
        if line["n"] and all(line[f] == default[f] for f in factors):
            base = line
    if base is None:
        raise ValueError("no trial of the default")
    groups = []
    for line in summary:
        groups.append(line["qualities"])
    s, degrees = pooled_noise(groups)
    t = stats.t.ppf(1 - (1 - level) / 2, degrees)
    rows = []
    for factor in factors:
        for value in factors[factor]:
            if value == default[factor]:
                continue
            for line in summary:
                if line[factor] != value or line["n"] == 0:
                    continue
                others = [f for f in factors if f != factor and line[f] != default[f]]
                if others:
                    continue
                d = line["mean"] - base["mean"]
                e = s * math.sqrt(1 / line["n"] + 1 / base["n"])
                row = {"factor": factor, "level": value, "difference": d}
                row["low"], row["high"] = d - t * e, d + t * e
                row["p"] = 2 * (1 - stats.t.cdf(abs(d / e), degrees))
                rows.append(row)
    adjusted = holm([row["p"] for row in rows])
    for i in range(len(rows)):
        rows[i]["adjusted"] = adjusted[i]
    return rows


def pareto_front(points, maximize):
    for point in points:
        for x in point:
            if x != x:
                raise ValueError("NaN in " + str(point))
    front = []
    for i in range(len(points)):
        dominated = False
        for j in range(len(points)):
            worse = better = False
            for k in range(len(maximize)):
                a, b = points[j][k], points[i][k]
                if not maximize[k]:
                    a, b = b, a
                if a > b:
                    better = True
                if a < b:
                    worse = True
            if better and not worse:
                dominated = True
        if not dominated:
            front.append(i)
    return front


def successive_halving(curves, rungs, eta=3):
    length = len(curves[0])
    for curve in curves:
        if len(curve) != length:
            raise ValueError("curves of different lengths")
    before = 0
    for rung in rungs:
        if rung <= before or rung >= length:
            raise ValueError("bad rung " + str(rung))
        before = rung
    running = [True] * len(curves)
    steps = 0
    for step in range(1, length + 1):
        steps += sum(running)
        if step in rungs:
            keep = (sum(running) + eta - 1) // eta
            chosen = [False] * len(curves)
            for _ in range(keep):
                best = -1
                for i in range(len(curves)):
                    if not running[i] or chosen[i]:
                        continue
                    if best < 0 or curves[i][step - 1] > curves[best][step - 1]:
                        best = i
                chosen[best] = True
            running = chosen
    return [i for i in range(len(curves)) if running[i]], steps


def recommend(summary, margin, cost):
    best = None
    for row in summary:
        if row["n"] > 0 and row["failed"] == 0 and (best is None or row["mean"] > best):
            best = row["mean"]
    if best is None:
        raise ValueError("nothing to recommend")
    choice = None
    for row in summary:
        if row["n"] == 0 or row["failed"] > 0 or best - row["mean"] >= margin:
            continue
        if (
            choice is None
            or row[cost] < choice[cost]
            or row[cost] == choice[cost]
            and row["mean"] > choice["mean"]
        ):
            choice = row
    return choice


def chance_of_being_best(means, s, n_seeds, rng, n_draws=10_000):
    wins = np.zeros(len(means))
    for _ in range(n_draws):
        drawn = [
            m + s / math.sqrt(n) * z
            for m, n, z in zip(means, n_seeds, rng.standard_normal(len(means)), strict=False)
        ]
        wins[drawn.index(max(drawn))] += 1
    return wins / n_draws

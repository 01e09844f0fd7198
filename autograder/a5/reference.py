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

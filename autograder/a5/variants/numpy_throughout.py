"""Style: NumPy numbers in the rows and results; combinations that are shuffled."""

import itertools

import numpy as np
import torch
from scipy import stats


def sampled_design(factors, n, seed, taken=()):
    combinations = np.array(
        list(itertools.product(*[range(len(levels)) for levels in factors.values()]))
    )
    rng = np.random.default_rng(seed)
    rng.shuffle(combinations)
    names = list(factors)
    design = [
        {name: factors[name][place] for name, place in zip(names, row, strict=True)}
        for row in combinations
    ]
    design = [one for one in design if one not in taken][:n]
    if len(design) < n:
        raise ValueError("not enough combinations")
    return design


def run_trial(configuration, seed, task, after_evaluation=None):
    torch.random.manual_seed(seed)
    model = task.model(configuration)
    seconds, tokens = np.zeros(task.n_steps), np.zeros(task.n_steps)
    evaluated = {*range(task.evaluate_every, task.n_steps, task.evaluate_every), task.n_steps}
    curve, start = [], task.clock()
    for i, trained in enumerate(task.training(model, configuration, seed)):
        seconds[i], tokens[i] = task.clock() - start, trained["tokens"]
        if not np.isfinite(trained["loss"]):
            raise FloatingPointError(trained["loss"])
        if i + 1 in evaluated:
            measured = task.validate(model)
            curve.append({"step": i + 1} | measured)
            if after_evaluation is not None:
                after_evaluation(i + 1, measured)
        if i + 1 == task.n_steps:
            break
        start = task.clock()
    timed = slice(task.untimed_steps, None)
    return (
        configuration
        | {
            "seed": seed,
            "steps": len(seconds),
            "parameters": int(np.sum([np.prod(p.shape) for p in model.parameters()])),
            "curve": curve,
            "quality": np.float64(curve[-1]["quality"]),
            "validation_loss": np.float64(curve[-1]["loss"]),
            "train_seconds": seconds[timed].sum(),
            "tokens_per_second": tokens[timed].sum() / seconds[timed].sum(),
        }
        | task.inference(model)
    )


def mean_interval(values, level=0.95):
    values = np.asarray(values, dtype=np.float64)
    if values.size == 0:
        raise ValueError("values is empty")
    if values.size == 1:
        return values[0], -np.inf, np.inf
    low, high = stats.t.interval(level, values.size - 1, values.mean(), stats.sem(values) + 1e-300)
    return values.mean(), low, high


def pooled_noise(groups):
    arrays = [np.array(group) for group in groups if len(group) >= 2]
    if not arrays:
        raise ValueError("every configuration has at most one value")
    degrees = np.array([a.size - 1 for a in arrays])
    variances = np.array([a.var(ddof=1) for a in arrays])
    return np.sqrt(np.average(variances, weights=degrees)), int(degrees.sum())


def detectable_difference(s, degrees, n_seeds, level=0.95):
    return np.sqrt(2.0) * stats.t.isf((1 - level) / 2, degrees) * s / np.sqrt(n_seeds)

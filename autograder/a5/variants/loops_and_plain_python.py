"""Style: loops, plain Python numbers and the statistics module; no NumPy where none is needed."""

import math
import random
import statistics

import torch
from scipy import stats


def one_at_a_time(default, factors):
    design = []
    start = {}
    for name in default:
        start[name] = default[name]
    design.append(start)
    for factor in factors:
        if factor not in default:
            raise ValueError(f"the default does not set {factor}")
        found = False
        for level in factors[factor]:
            if level == default[factor]:
                found = True
        if not found:
            raise ValueError(f"{default[factor]} is not a level of {factor}")
        for level in factors[factor]:
            if level != default[factor]:
                changed = dict(default)
                changed[factor] = level
                design.append(changed)
    return design


def sampled_design(factors, n, seed, taken=()):
    left = [{}]
    for factor in factors:
        longer = []
        for start in left:
            for level in factors[factor]:
                longer.append({**start, factor: level})
        left = longer
    left = [one for one in left if one not in list(taken)]
    if len(left) < n:
        raise ValueError(f"{n} of {len(left)}")
    return random.Random(seed).sample(left, n)


def run_trial(configuration, seed, task, after_evaluation=None):
    torch.manual_seed(seed)
    model = task.model(configuration)
    curve = []
    seconds = 0.0
    tokens = 0
    step = 0
    before = task.clock()
    for trained in task.training(model, configuration, seed):
        step += 1
        passed = task.clock() - before
        loss = trained["loss"]
        if math.isnan(loss) or math.isinf(loss):
            raise FloatingPointError("the loss is no number")
        if step > task.untimed_steps:
            seconds += passed
            tokens += trained["tokens"]
        if step % task.evaluate_every == 0 or step == task.n_steps:
            measured = task.validate(model)
            entry = {"step": step}
            for name in measured:
                entry[name] = measured[name]
            curve.append(entry)
            if after_evaluation:
                after_evaluation(step, measured)
        if step == task.n_steps:
            break
        before = task.clock()
    row = dict(configuration)
    row["seed"] = seed
    row["steps"] = step
    row["parameters"] = 0
    for parameter in model.parameters():
        row["parameters"] += parameter.numel()
    row["curve"] = curve
    row["quality"] = curve[-1]["quality"]
    row["validation_loss"] = curve[-1]["loss"]
    row["train_seconds"] = seconds
    row["tokens_per_second"] = tokens / seconds
    row.update(task.inference(model))
    return row


def attempt(trial):
    try:
        row = trial()
    except FloatingPointError as error:
        row = {"status": "diverged"}
        row["reason"] = f"{error}"
    except MemoryError as error:
        row = {"status": "out of memory"}
        row["reason"] = f"{error}"
    except torch.OutOfMemoryError as error:
        row = {"status": "out of memory"}
        row["reason"] = f"{error}"
    except TimeoutError as error:
        row = {"status": "timed out"}
        row["reason"] = f"{error}"
    else:
        row["status"] = "complete"
    return row


def mean_interval(values, level=0.95):
    if not values:
        raise ValueError("no values")
    mean = statistics.fmean(values)
    if len(values) == 1:
        return [mean, -math.inf, math.inf]
    half = stats.t(len(values) - 1).ppf(1 - (1 - level) / 2)
    half *= statistics.stdev(values) / len(values) ** 0.5
    return [mean, mean - half, mean + half]


def pooled_noise(groups):
    squares = 0.0
    degrees = 0
    for group in groups:
        if len(group) > 1:
            mean = statistics.fmean(group)
            for value in group:
                squares += (value - mean) ** 2
            degrees += len(group) - 1
    if degrees == 0:
        raise ValueError("no group has two values")
    return (squares / degrees) ** 0.5, degrees


def detectable_difference(s, degrees, n_seeds, level=0.95):
    variance_of_a_mean = s * s / n_seeds
    return -stats.t.ppf((1 - level) / 2, degrees) * math.sqrt(2 * variance_of_a_mean)

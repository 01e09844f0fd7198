"""Style: itertools and generator expressions; a table of exceptions; merged dictionaries."""

import math
from itertools import chain, islice, product

import numpy as np
import torch
from scipy.stats import t


def one_at_a_time(default, factors):
    wrong = [factor for factor in factors if default.get(factor) not in set(factors[factor])]
    if wrong:
        raise ValueError(f"not a level: {wrong}")
    others = (
        {**default, factor: level}
        for factor, level in chain.from_iterable(
            ((factor, level) for level in levels) for factor, levels in factors.items()
        )
        if default[factor] != level
    )
    return [{**default}, *others]


def sampled_design(factors, n, seed, taken=()):
    every = (dict(zip(factors, levels, strict=True)) for levels in product(*factors.values()))
    left = [one for one in every if one not in tuple(taken)]
    generator = torch.Generator().manual_seed(seed)
    if n > len(left):
        raise ValueError(f"{len(left)} combinations are left, not {n}")
    return [left[place] for place in torch.randperm(len(left), generator=generator)[:n].tolist()]


def _timed(task, steps):
    """Each step with its number and its seconds."""
    number = 0
    while True:
        number += 1
        start = task.clock()
        trained = next(steps)
        yield number, trained, task.clock() - start


def run_trial(configuration, seed, task, after_evaluation=None):
    torch.manual_seed(seed)
    model, after = task.model(configuration), after_evaluation or (lambda step, measured: None)
    curve, times = [], []
    steps = _timed(task, task.training(model, configuration, seed))
    for step, trained, seconds in islice(steps, task.n_steps):
        if not math.isfinite(trained["loss"]):
            raise FloatingPointError(f"step {step}")
        times.append((seconds, trained["tokens"]))
        if step == task.n_steps or not step % task.evaluate_every:
            curve.append({"step": step, **task.validate(model)})
            after(step, {"quality": curve[-1]["quality"], "loss": curve[-1]["loss"]})
    seconds, tokens = map(sum, zip(*times[task.untimed_steps :], strict=True))
    return dict(
        configuration,
        seed=seed,
        steps=task.n_steps,
        parameters=sum(map(torch.Tensor.nelement, model.parameters())),
        curve=curve,
        quality=curve[-1]["quality"],
        validation_loss=curve[-1]["loss"],
        train_seconds=seconds,
        tokens_per_second=tokens / seconds,
        **task.inference(model),
    )


_STATUS = {
    FloatingPointError: "diverged",
    MemoryError: "out of memory",
    torch.OutOfMemoryError: "out of memory",
    TimeoutError: "timed out",
}


def attempt(trial):
    try:
        return dict(trial(), status="complete")
    except tuple(_STATUS) as error:
        status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
        return {"status": status, "reason": str(error)}


def mean_interval(values, level=0.95):
    n = len(values)
    if n < 1:
        raise ValueError("empty")
    mean = math.fsum(values) / n
    if n < 2:
        return mean, float("-inf"), float("inf")
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(t.isf(0.5 - level / 2, n - 1)) * math.sqrt(variance / n)
    return mean, mean - half, mean + half


def pooled_noise(groups):
    residuals = [
        value - sum(group) / len(group) for group in map(list, groups) if group for value in group
    ]
    degrees = len(residuals) - sum(1 for group in groups if len(group) > 0)
    if not degrees:
        raise ValueError("one value each")
    return float(np.linalg.norm(residuals)) / math.sqrt(degrees), degrees


def detectable_difference(s, degrees, n_seeds, level=0.95):
    quantile = float(t.ppf(0.5 + level / 2, df=degrees))
    return quantile * math.hypot(s / math.sqrt(n_seeds), s / math.sqrt(n_seeds))

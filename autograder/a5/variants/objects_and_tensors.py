"""Style: a stopwatch object, torch for statistics, a draw that rejects what is taken."""

import math
from dataclasses import dataclass, field

import torch
from scipy import stats


@dataclass
class Stopwatch:
    clock: object
    untimed: int
    laps: list = field(default_factory=list)

    def lap(self, steps):
        start = self.clock()
        trained = next(steps)
        self.laps.append((self.clock() - start, trained["tokens"]))
        return trained

    @property
    def totals(self):
        timed = torch.tensor(self.laps[self.untimed :], dtype=torch.float64)
        return timed.sum(dim=0).tolist()


def one_at_a_time(default, factors):
    design = [dict(default)]
    for factor, levels in factors.items():
        rest = list(levels)
        try:
            rest.remove(default[factor])
        except (KeyError, ValueError):
            raise ValueError(f"the default is at no level of {factor}") from None
        for level in rest:
            design.append(dict(default))
            design[-1][factor] = level
    return design


def sampled_design(factors, n, seed, taken=()):
    generator = torch.Generator()
    generator.manual_seed(seed)
    sizes = [len(levels) for levels in factors.values()]
    gone = {tuple(map(one.get, factors)) for one in taken}
    known = [one for one in gone if all(map(list.__contains__, map(list, factors.values()), one))]
    if n + len(known) > math.prod(sizes):
        raise ValueError("too many")
    design = []
    while len(design) < n:
        one = {
            factor: levels[int(torch.randint(len(levels), (), generator=generator))]
            for factor, levels in factors.items()
        }
        if one not in design and one not in taken:
            design.append(one)
    return design


def run_trial(configuration, seed, task, after_evaluation=None):
    torch.manual_seed(seed)
    model = task.model(configuration)
    steps = iter(task.training(model, configuration, seed))
    watch, curve, step = Stopwatch(task.clock, task.untimed_steps), [], 0
    while step < task.n_steps:
        step += 1
        loss = torch.tensor(watch.lap(steps)["loss"])
        if not torch.isfinite(loss):
            raise FloatingPointError(f"{loss.item()} in step {step}")
        if step % task.evaluate_every and step < task.n_steps:
            continue
        measured = task.validate(model)
        curve += [{**measured, "step": step}]
        if after_evaluation is not None:
            after_evaluation(step=step, measured=measured)
    seconds, tokens = watch.totals
    last = curve[-1]
    row = {**configuration, "seed": seed, "steps": step, "curve": curve, "train_seconds": seconds}
    row |= {"quality": last["quality"], "validation_loss": last["loss"]}
    row |= {"parameters": sum(p.numel() for p in model.parameters()), "device": "cpu"}
    row |= {"tokens_per_second": tokens / seconds}
    return row | task.inference(model)


def attempt(trial):
    status = "complete"
    try:
        return {**trial(), "status": status}
    except FloatingPointError as caught:
        status, error = "diverged", caught
    except TimeoutError as caught:
        status, error = "timed out", caught
    except (torch.cuda.OutOfMemoryError, MemoryError) as caught:
        status, error = "out of memory", caught
    return {"reason": str(error), "status": status}


def mean_interval(values, level=0.95):
    data = torch.tensor(list(values), dtype=torch.float64)
    if len(data) == 0:
        raise ValueError("nothing to average")
    mean = data.mean().item()
    if len(data) == 1:
        return mean, -math.inf, math.inf
    error = data.std().item() / math.sqrt(len(data))
    half = float(stats.t.ppf(1 - (1 - level) / 2, len(data) - 1)) * error
    return mean, mean - half, mean + half


def pooled_noise(groups):
    tensors = [torch.tensor(group, dtype=torch.float64) for group in groups if len(group) > 0]
    degrees = sum(len(one) for one in tensors) - len(tensors)
    if degrees <= 0:
        raise ValueError("two values of one configuration are needed")
    squares = torch.stack([(one - one.mean()).square().sum() for one in tensors]).sum()
    return (squares / degrees).sqrt().item(), degrees

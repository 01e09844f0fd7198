"""Style: the standard library; a schedule that is a generator, own exceptions."""

import math
import statistics
from collections import Counter

import torch


class NotFitting(ValueError):
    """Raised for invalid arguments."""


def warmup_rate(step, d_model, warmup_steps=4000):
    try:
        logarithms = -0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup_steps)
    except ValueError:
        raise NotFitting(f"step {step} has no rate") from None
    return math.exp(min(logarithms) - 0.5 * math.log(d_model))


class WarmupSchedule(torch.optim.lr_scheduler.LRScheduler):
    """A generator of rates behind the interface of a scheduler."""

    def __init__(self, optimizer, d_model, warmup_steps=4000):
        self.optimizer = optimizer
        self.last_epoch = -1
        self.base = [group["lr"] for group in optimizer.param_groups]
        self.rates = self._count(d_model, warmup_steps)
        self.step()

    @staticmethod
    def _count(d_model, warmup_steps, step=1):
        while True:
            yield warmup_rate(step, d_model, warmup_steps)
            step += 1

    def get_last_lr(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self):
        rate = next(self.rates)
        self.last_epoch += 1
        for base, group in zip(self.base, self.optimizer.param_groups, strict=True):
            group["lr"] = base * rate


def paper_optimizer(model, d_model, warmup_steps=4000):
    """A table for the warm-up, then the formula."""
    if warmup_steps < 1:
        raise NotFitting("at least one step of warm-up")
    optimizer = torch.optim.Adam(
        [{"params": list(model.parameters())}], lr=d_model**-0.5, betas=(0.9, 0.98), eps=1e-9
    )
    top = warmup_steps**-0.5
    return optimizer, torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lr_lambda=lambda done: (
            top * (done + 1) / warmup_steps if done < warmup_steps else (done + 1) ** -0.5
        ),
    )


def classification_scores(predictions, labels):
    if len(predictions) != len(labels):
        raise NotFitting(f"{len(predictions)} != {len(labels)}")
    if len(labels) < 1:
        raise NotFitting("empty")
    table = Counter(zip(map(int, predictions), map(int, labels), strict=True))
    right = [float(a == b) for a, b in table.elements()]
    precision = table[1, 1] / max(1, table[1, 1] + table[1, 0])
    recall = table[1, 1] / max(1, table[1, 1] + table[0, 1])
    return {
        "accuracy": statistics.fmean(right),
        "precision": precision,
        "recall": recall,
        "f1": statistics.harmonic_mean([precision, recall]),
        "standard_error": statistics.pstdev(right) / len(right) ** 0.5,
    }

"""A training of a second, for test_train.py: in its process, in one that is killed, by torchrun.

python tests/training/small_training.py FOLDER [--kill-at STEP] [--dropout P] [--by loss step]

Each way to train has a folder in FOLDER.
"""

import argparse
import csv
import json
import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from course_lib.classifier import EncoderClassifier
from course_lib.training.classification_loss import classification_loss
from course_lib.training.classification_step import training_step
from course_lib.training.fit import TrainingConfig, fit
from course_lib.training.long_trainings.machine import n_examples
from course_lib.training.schedules import WarmupSchedule
from course_lib.training.weight_averages import WeightAverage

EPOCHS, BATCHES = 3, 7


class Batch(NamedTuple):
    token_ids: Tensor
    labels: Tensor


class Batches:
    """Batches of unequal size; the label is whether the first word is above 9."""

    def __init__(self, number=BATCHES, seed=0):
        self.number, self.seed, self.epoch, self.drawn = number, seed, 0, 0

    def __len__(self):
        return self.number

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        generator = torch.Generator().manual_seed(100 * self.seed + self.epoch)
        for i in range(self.number):
            token_ids = torch.randint(1, 20, (4 + 3 * (i % 3), 6), generator=generator)
            token_ids[0, 4:] = 0
            self.drawn += 1
            yield Batch(token_ids, (token_ids[:, 0] > 9).long())


def parts(dropout=0.1, seed=0, rate=1.0, warmup=400):
    """A model with its optimizer and schedule, always initialized the same."""
    torch.manual_seed(seed)
    np.random.seed(0)
    model = EncoderClassifier(20, 2, n_layers=1, d_model=16, n_heads=2, d_ff=32, dropout=dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    return model, optimizer, WarmupSchedule(optimizer, 16, warmup_steps=warmup)


HOW = {"loss": classification_loss, "step": training_step}  # what `fit` may train by


def fitted(made, batches=None, settings=None, **how):
    """The history of `fit` for a model, its optimizer and its schedule."""
    model, optimizer, schedule = made
    config = TrainingConfig(**settings or {})
    how |= {"optimizer": optimizer, "schedule": schedule, "config": config}
    return fit(model, batches or Batches(), **how)


def train(folder=None, dropout=0.1, after_step=None, batches=None, by="loss", made=None, **changes):
    """Train `parts`; returns the model, the history and the averaged weights."""
    made = made or parts(dropout)
    average = WeightAverage(made[0])
    settings = {"epochs": EPOCHS, "checkpoint_every": 2, "log_every": 1, "patience": 9, **changes}
    how = {by: HOW[by], "count": n_examples, "average": average}
    how |= {"evaluate": lambda model: {"validation_accuracy": np.random.uniform(0.5, 1.0)}}
    history = fitted(made, batches, settings, folder=folder, after_step=after_step, **how)
    return made[0], history, average


class Fixed(list):
    """Wrap given batches as an iterable with epochs."""

    def set_epoch(self, epoch):
        pass


class Constant:
    """A schedule with a constant learning rate."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        pass

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Interrupted(Exception):
    pass


def interrupt(at):
    def after_step(model, step):
        if step == at:
            raise Interrupted

    return after_step


def plain(
    batches, model, rate=0.1, loss=classification_loss, step=None, count=n_examples, **settings
):
    """Train by plain gradient descent, so that the change of the weights shows the gradient."""
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    how = {"loss": loss, "count": count} if step is None else {"step": step}
    settings = {"epochs": 1, "max_norm": 1e9, **settings}
    return fitted((model, optimizer, Constant(optimizer)), batches, settings, **how)


def same_weights(one, two):
    return all(torch.equal(a, b) for a, b in zip(one.values(), two.values(), strict=True))


def steps(history):
    return [row for row in history if "loss" in row]


def table(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kill-at", type=int)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--by", choices=HOW, nargs="+", default=["loss"])
    options = parser.parse_args()
    assert "accelerate" not in sys.modules  # importing the loop stays cheap

    def maybe_kill(model, step):
        if step == options.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    rank = os.environ.get("RANK", "0")
    for by in options.by:
        model, history, _ = train(options.folder / by, options.dropout, maybe_kill, by=by)
        weights = {name: value.tolist() for name, value in model.state_dict().items()}
        report = json.dumps({"history": history, "weights": weights})
        (options.folder / by / f"report-{rank}.json").write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()

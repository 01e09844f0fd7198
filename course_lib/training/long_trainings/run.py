"""The progress of one training: where it is, when it stops early, and how it resumes."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..log import ProgressBar, TrainingLog
from ..plain import Row
from ..weight_averages import WeightAverage
from .checkpoints import Checkpoints, random_state, set_random_state
from .first_steps import FirstSteps
from .identity import identity_of
from .machine import Batch, Machine, groups

Evaluation = Callable[[nn.Module], Row | None]
SAVE_EVERY = 10.0  # seconds between two checkpoints of one process, at least
ON_DRIVE = 300.0  # the same on Google Drive, whose trash keeps every checkpoint that is replaced
SAVE_PAUSE = 20.0  # times what a checkpoint takes to write, at least, between two of them
MEASURE = "validation_accuracy"  # what early stopping watches
FREE = ("epochs", "evaluate_every", "checkpoint_every", "log_every", "progress", "recompute")


@dataclass(frozen=True)
class TrainingConfig:
    """Settings of a training run; a step is an optimizer step."""

    epochs: int = 3
    max_norm: float = 1.0  # R52: gradients are clipped to this norm
    label_smoothing: float = 0.1
    accumulate: int = 1  # batches per process and step
    recompute: bool = False  # gradient checkpointing: keep only the inputs of layers
    mixed_precision: str = "auto"  # bf16 or fp16 on a GPU, none elsewhere; "no", "bf16", "fp16"
    patience: int | None = None  # evaluations without a new best before stopping; keeps the best
    evaluate_every: int | None = None  # steps; always at the end of an epoch
    checkpoint_every: int | None = None  # steps; always at the end of an epoch
    log_every: int = 10  # steps
    progress: bool = True  # show a bar, in a terminal or a notebook


@dataclass
class State:
    """The progress of a training, which checkpoints save."""

    step: int = 0
    epoch: int = 0
    groups_done: int = 0  # of this epoch
    history: list[Row] = field(default_factory=list)


class TrainingRun:
    """One training of one model, on one or several processes; see `training.fit`."""

    def __init__(
        self,
        model: nn.Module,
        batches: Any,
        optimizer: torch.optim.Optimizer,
        schedule: Any,
        config: TrainingConfig,
        average: WeightAverage | None,
        folder: Path | None,
        resume: bool,
    ) -> None:
        self.model, self.batches, self.config = model, batches, config
        self.average, self.folder, self.state = average, folder, State()
        self.random: dict[str, Any] | None = random_state()
        self.machine = Machine(config.mixed_precision)
        self.first_steps = FirstSteps(model, optimizer)
        self.shared_model = self.machine.prepare(model)
        self.stopping = EarlyStopping(config.patience)
        self.group_size = self.machine.size * config.accumulate
        parts = {
            "optimizer": optimizer,
            "schedule": schedule,
            "stopping": self.stopping,
            "average": average,
            "scaler": self.machine.scaler if self.machine.scaler.is_enabled() else None,
        }
        self.checkpoints = self._checkpoints(folder, parts) if folder else None
        self._saved, self._save_seconds = time.monotonic(), 0.0
        self._start(resume)

    def groups(self) -> Iterator[tuple[list[Batch], bool]]:
        """The remaining groups of batches, each with whether it ends an epoch."""
        for epoch in range(self.state.epoch, self.config.epochs):
            self.batches.set_epoch(epoch)
            done = self.state.groups_done
            for number, (group, last) in enumerate(groups(self.batches, self.group_size)):
                if self.stopping.exhausted:
                    return
                if number < done:  # trained on before the interruption
                    continue
                if self.random:  # not earlier: imports and skipped batches may draw random numbers
                    set_random_state(self.random)
                    self.random = None
                yield group, last

    def record(self, row: Row) -> Row:
        """Count a step that was taken; returns its row, which is now in the history."""
        self.state.step += 1
        self.state.groups_done += 1
        self.state.history.append({"step": self.state.step, **row})
        return self.state.history[-1]

    def average_weights(self) -> None:
        """Add the weights of a step to their average, if there is one."""
        if self.average is not None:
            self.average.update()

    def evaluate(self, evaluate: Evaluation) -> Row | None:
        """Evaluate on rank 0, with averaged weights if there are any; returns the row."""
        with self.average.applied() if self.average else nullcontext(self.model) as model:
            result = None
            if self.machine.is_main:
                with torch.no_grad():
                    result = evaluate(model.eval())
            result = self.machine.broadcast(result)
            self.stopping.look(result or {}, model)
        if result is None:
            return None
        row = {"step": self.state.step, "epoch": self.state.epoch + 1, **result}
        self.state.history.append(row)
        return row

    def end_epoch(self) -> None:
        self.state.epoch, self.state.groups_done = self.state.epoch + 1, 0

    @property
    def is_unsaved_for_long(self) -> bool:
        """Whether an interrupt would cost more than seconds.

        Several processes save by steps alone: they would not agree about the time.
        """
        if self.folder is None or self.machine.size > 1:
            return False
        every = ON_DRIVE if "MyDrive" in self.folder.resolve().parts else SAVE_EVERY
        waits = max(every, SAVE_PAUSE * self._save_seconds)
        return time.monotonic() - self._saved > waits

    def save(self) -> None:
        """Write a checkpoint, if the run has a folder."""
        if self.checkpoints:
            started = time.monotonic()
            self.checkpoints.save(self.model, vars(self.state))
            self._saved = time.monotonic()
            self._save_seconds = self._saved - started

    def log(self) -> TrainingLog:
        folder = self.folder if self.machine.is_main else None
        return TrainingLog(folder, self.state.step, self.config.log_every)

    def bar(self) -> ProgressBar:
        total = self.config.epochs * math.ceil(len(self.batches) / self.group_size)
        return ProgressBar(total, self.state.step, self.config.progress and self.machine.is_main)

    def _checkpoints(self, folder: Path, parts: dict[str, Any]) -> Checkpoints:
        fixed = {name: value for name, value in asdict(self.config).items() if name not in FREE}
        counts = {"batches": len(self.batches), "processes": self.machine.size}
        used = {name: part for name, part in parts.items() if part is not None}
        found = identity_of(
            self.model, self.batches, parts["optimizer"], parts["schedule"], self.average
        )
        found["seed"] = self.machine.broadcast(found["seed"])  # a process draws numbers of its own
        identity = {**fixed, **counts, "parts": sorted(used), **found}
        return Checkpoints(folder, used, identity, self.machine.rank, self.machine.wait)

    def _start(self, resume: bool) -> None:
        """Resume from the newest checkpoint, or start from scratch."""
        progress = None
        if self.checkpoints and resume:
            progress = self.checkpoints.load(self.model)
        elif self.checkpoints:
            self.checkpoints.clear()
        if progress is None:
            if self.machine.rank:  # else every process would draw the same dropout
                torch.manual_seed(torch.initial_seed() + self.machine.rank)
                self.random = random_state()
            return
        assert self.checkpoints is not None
        self.state, self.random = State(**progress), self.checkpoints.random
        if self.machine.is_main:
            over = self.state.epoch >= self.config.epochs or self.stopping.exhausted
            what = "already finished at" if over else "resuming after"
            print(f"{self.folder}: {what} step {self.state.step}")


class EarlyStopping:
    """Counts evaluations without a new best accuracy; with `patience=None` it does nothing."""

    def __init__(self, patience: int | None) -> None:
        self.patience, self.waited = patience, 0
        self.best, self.weights = float("-inf"), dict[str, Tensor]()

    @property
    def exhausted(self) -> bool:
        """Whether `patience` evaluations in a row brought no new best."""
        return self.patience is not None and self.waited >= self.patience

    def look(self, result: Row, model: nn.Module) -> None:
        """Record an evaluation. Raises ValueError when it has no validation accuracy."""
        if self.patience is None:
            return
        if MEASURE not in result:
            keys = ", ".join(result) or "nothing"
            raise ValueError(
                f"evaluate(model) returned {keys}, but early stopping needs {MEASURE!r}: return it"
            )
        self.waited += 1
        if result[MEASURE] > self.best:
            self.best, self.waited = result[MEASURE], 0
            self.weights = {n: t.detach().cpu().clone() for n, t in model.state_dict().items()}

    @contextmanager
    def best_at_end(self, model: nn.Module) -> Iterator[None]:
        """At the end, give the model the weights of the best evaluation, if there was one."""
        try:
            yield
        finally:
            if self.weights:
                model.load_state_dict(self.weights)

    def state_dict(self) -> dict[str, Any]:
        return {"best": self.best, "waited": self.waited, "weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.best, self.waited, self.weights = state["best"], state["waited"], state["weights"]

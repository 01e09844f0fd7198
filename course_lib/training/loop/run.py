"""The state of one training run: its parts, its progress, and how it resumes."""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..running_average import WeightAverage
from .batch_groups import Batch, groups
from .checkpoints import Checkpoints
from .distributed_step import DivergedError, GroupStep, Row, accelerator
from .early_stopping import EarlyStopping
from .log import TrainingLog
from .progress_bar import ProgressBar
from .random_state import random_state, set_random_state

Evaluation = Callable[[nn.Module], Row | None]


@dataclass(frozen=True)
class TrainingConfig:
    """Settings of a training run; a step is an optimizer step."""

    epochs: int = 3
    max_norm: float = 1.0  # gradients are clipped to this norm
    label_smoothing: float = 0.1
    accumulate: int = 1  # batches per process and step
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
        step: Callable[..., Row],
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
        self.accelerator = accelerator(config.accumulate, config.mixed_precision)
        self.stopping = EarlyStopping(config.patience)
        settings = {"max_norm": config.max_norm, "label_smoothing": config.label_smoothing}
        self.group_step = GroupStep(self.accelerator, model, step, optimizer, schedule, **settings)
        self.group_size = self.accelerator.num_processes * config.accumulate
        parts = {
            "optimizer": optimizer,
            "schedule": schedule,
            "stopping": self.stopping,
            "average": average,
            "scaler": self.accelerator.scaler,
        }
        self.checkpoints = self._checkpoints(folder, parts) if folder else None
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

    def train_on(self, group: list[Batch]) -> Row:
        """One optimizer step; returns its row. Raises DivergedError, naming the step."""
        step = self.state.step + 1
        try:
            row = {"step": step, **self.group_step(group)}
        except DivergedError as error:
            raise DivergedError(f"step {step}: {error}") from None
        self.state.step = step
        self.state.groups_done += 1
        self.state.history.append(row)
        if self.average is not None:
            self.average.update()
        return row

    def evaluate(self, evaluate: Evaluation) -> Row | None:
        """Evaluate on rank 0, with averaged weights if there are any; returns the row."""
        from accelerate.utils import broadcast_object_list

        results: list[Row | None] = [None]
        with self._averaged() as model:
            if self.accelerator.is_main_process:
                with torch.no_grad():
                    results = [evaluate(model.eval())]
            (result,) = broadcast_object_list(results)
            self.stopping.look(result or {}, model)
        if result is None:
            return None
        row = {"step": self.state.step, "epoch": self.state.epoch + 1, **result}
        self.state.history.append(row)
        return row

    def end_epoch(self) -> None:
        self.state.epoch, self.state.groups_done = self.state.epoch + 1, 0

    def save(self) -> None:
        """Write a checkpoint, if the run has a folder."""
        if self.checkpoints:
            self.checkpoints.save(self.model, vars(self.state))

    def __enter__(self) -> "TrainingRun":
        return self

    def __exit__(self, *_: object) -> None:
        """Undo Accelerate's changes to the model; with `patience`, restore its best weights."""
        for name in ("forward", "_original_forward"):  # Accelerate's, for mixed precision
            vars(self.model).pop(name, None)
        self.stopping.restore(self.model)

    def log(self) -> TrainingLog:
        folder = self.folder if self.accelerator.is_main_process else None
        return TrainingLog(folder, self.state.step, self.config.log_every)

    def bar(self) -> ProgressBar:
        total = self.config.epochs * math.ceil(len(self.batches) / self.group_size)
        wanted = self.config.progress and self.accelerator.is_main_process
        return ProgressBar(total, self.state.step, wanted)

    def _averaged(self) -> AbstractContextManager[nn.Module]:
        return nullcontext(self.model) if self.average is None else self.average.applied()

    def _checkpoints(self, folder: Path, parts: dict[str, Any]) -> Checkpoints:
        free = ("epochs", "evaluate_every", "checkpoint_every", "log_every", "progress")
        fixed = {name: value for name, value in asdict(self.config).items() if name not in free}
        counts = {"batches": len(self.batches), "processes": self.accelerator.num_processes}
        used = {name: part for name, part in parts.items() if part is not None}
        identity = {**fixed, **counts, "parts": sorted(used)}
        accelerator = self.accelerator
        return Checkpoints(
            folder, used, identity, accelerator.process_index, accelerator.wait_for_everyone
        )

    def _start(self, resume: bool) -> None:
        """Resume from the newest checkpoint, or start from scratch."""
        progress = None
        if self.checkpoints and resume:
            progress = self.checkpoints.load(self.model)
        elif self.checkpoints:
            self.checkpoints.clear()
        if progress is None:
            if self.accelerator.process_index:  # else every process would draw the same dropout
                torch.manual_seed(torch.initial_seed() + self.accelerator.process_index)
                self.random = random_state()
            return
        assert self.checkpoints is not None
        self.state, self.random = State(**progress), self.checkpoints.random
        if self.accelerator.is_main_process:
            over = self.state.epoch >= self.config.epochs or self.stopping.exhausted
            what = "already finished at" if over else "going on after"
            print(f"{self.folder}: {what} step {self.state.step}")

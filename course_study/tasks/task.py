"""The task of a trial: a model, its steps and measures; and the clock that it is timed by."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.data.datasets import LoadedData
from course_lib.training.update import Loss, step_of

from ..profiles import StudyProfile
from ..space import Configuration
from .rates import trial_optimizer


class Task(ABC):
    """One learning problem on `data`, with the fixed budget of `settings`.

    Every trial takes the same number of steps, `n_steps`; an evaluation follows each
    `evaluate_every` and the last. In the first, `untimed_steps`, memory is allocated.
    """

    measure: str  # what `quality` is
    loss: Loss  # of a batch

    def __init__(self, settings: StudyProfile, data: LoadedData, device: str = "cpu") -> None:
        self.settings, self.data, self.device = settings, data, torch.device(device)
        self.n_steps, self.untimed_steps = settings.n_steps, settings.untimed_steps
        self.evaluate_every = settings.evaluate_every
        self.train = data["train"][: settings.train_limit or len(data["train"])]
        self.clock = synchronized_clock(self.device)

    @abstractmethod
    def model(self, configuration: Configuration) -> nn.Module:
        """A new model, its weights drawn from torch's global generator."""

    @abstractmethod
    def batches(self, seed: int) -> Any:
        """The training's batches, in the order of `seed`."""

    @abstractmethod
    def n_tokens(self, batch: list[Tensor]) -> int:
        """The real tokens of a batch."""

    def training(
        self, model: Any, configuration: Configuration, seed: int
    ) -> Iterator[dict[str, float]]:
        """Each `next` trains one step: its row, and its `tokens`."""
        batches = self.batches(seed)
        optimizer, schedule = trial_optimizer(model, configuration, self.settings)
        step, smoothing = step_of(self.loss), configuration["label_smoothing"]
        for epoch in count():
            batches.set_epoch(epoch)
            for batch in batches:
                on_device = [part.to(self.device) for part in batch]
                row = step(model, *on_device, optimizer, schedule, label_smoothing=smoothing)
                yield {**row, "tokens": self.n_tokens(on_device)}

    @abstractmethod
    def measured(self, model: Any, split: str) -> dict[str, float]:
        """`quality` (higher is better) and `loss`, on a whole split."""

    def validate(self, model: Any) -> dict[str, float]:
        return self.measured(model, self.split("validation"))

    def test(self, model: Any) -> dict[str, float]:
        """Once, for the configuration that was chosen."""
        return self.measured(model, self.split("test"))

    def split(self, beginning: str) -> str:
        """The name of a split that may have its year behind it: "test_2016_flickr"."""
        return next(name for name in self.data.splits if name.startswith(beginning))

    @abstractmethod
    def inferring(self, model: Any) -> Callable[[], object]:
        """Classifies or translates the validation split, with its texts prepared."""

    def inference(self, model: Any) -> dict[str, float]:
        """`inferences_per_second`: sentences classified or translated."""
        infer = self.inferring(model)
        started = self.clock()
        infer()
        seconds = self.clock() - started
        return {"inferences_per_second": len(self.data[self.split("validation")]) / seconds}


def synchronized_clock(device: torch.device) -> Callable[[], float]:
    """Seconds of wall clock; on a GPU, once it has done what it was given."""
    if device.type != "cuda":
        return time.perf_counter

    def clock() -> float:
        torch.cuda.synchronize(device)
        return time.perf_counter()

    return clock

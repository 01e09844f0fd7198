"""What a trial needs to know of what it trains: a model, its steps, and its measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from torch import nn

from ..space import Configuration


class Task(Protocol):
    """One learning problem with a fixed budget: every trial takes the same number of steps."""

    measure: str  # what `quality` is
    n_steps: int
    evaluate_every: int  # steps; the last step is always evaluated
    untimed_steps: int  # the first steps, in which memory is allocated and caches fill

    def model(self, configuration: Configuration) -> nn.Module:
        """A new model, its weights drawn from torch's global generator."""

    def training(
        self, model: Any, configuration: Configuration, seed: int
    ) -> Iterator[dict[str, float]]:
        """Each `next` trains one step, on batches in the order of `seed`: `loss` and `tokens`."""

    def validate(self, model: Any) -> dict[str, float]:
        """`quality` (higher is better) and `loss`, on the whole validation split."""

    def test(self, model: Any) -> dict[str, float]:
        """The same on the test split: once, for the configuration that was chosen."""

    def inference(self, model: Any) -> dict[str, float]:
        """`inferences_per_second`: sentences classified or translated."""

    def clock(self) -> float:
        """Seconds, once the device has finished what it was given."""

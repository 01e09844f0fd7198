"""The running average of the weights over training steps, often better than the last weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn


class WeightAverage:
    """The mean of a model's parameters over the training steps after the first `start`.

    With `decay` below 1, the mean becomes an exponential moving average after 1 / (1 − decay)
    steps. Up to `start` it equals the current parameters. It costs one more copy of the weights.
    (The paper averages its last checkpoints instead, §6.1.)

    torch's `AveragedModel` gives the same numbers, but is a second module: it stays on its original
    device when Accelerate moves the model, and its update is slower.
    """

    def __init__(self, model: nn.Module, decay: float = 1.0, start: int = 0) -> None:
        self.model, self.decay, self.start, self.updates = model, decay, start, 0
        self.weights = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self) -> None:
        """Add the current parameters to the mean; call it after every step."""
        self.updates += 1
        averaged = max(1, self.updates - self.start)  # steps in the mean, this one included
        decay = min(self.decay, (averaged - 1) / averaged)
        for name, parameter in self.model.named_parameters():
            self.weights[name] = self.weights[name].to(parameter.device)
            self.weights[name].lerp_(parameter, 1 - decay)

    @contextmanager
    def applied(self) -> Iterator[nn.Module]:
        """Give the model the averaged weights, and restore its own afterwards."""
        own = {name: p.detach().clone() for name, p in self.model.named_parameters()}
        self._put(self.weights)
        try:
            yield self.model
        finally:
            self._put(own)

    @torch.no_grad()
    def _put(self, weights: dict[str, torch.Tensor]) -> None:
        for name, parameter in self.model.named_parameters():
            parameter.copy_(weights[name])

    def state_dict(self) -> dict[str, Any]:
        return {"updates": self.updates, "weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.updates, self.weights = state["updates"], dict(state["weights"])

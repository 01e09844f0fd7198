"""The average of the weights over the steps of training: often better than the last weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn


class WeightAverage:
    """The mean of a model's parameters over the steps after the first `start`, kept as it trains.

    `decay` below 1 forgets: after its first 1 / (1 − decay) steps the mean becomes an exponential
    moving average. Up to `start` it is the parameters themselves. It costs one more copy of the
    weights. (The paper averages its last checkpoints instead, §6.1.)

    torch's `AveragedModel` gives the same numbers, but is a second module: it stays on the device
    where it was made when Accelerate moves the first, and a step of it takes longer.
    """

    def __init__(self, model: nn.Module, decay: float = 1.0, start: int = 0) -> None:
        self.model, self.decay, self.start, self.updates = model, decay, start, 0
        self.weights = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self) -> None:
        """Take in the parameters as they are now; call it after every step."""
        self.updates += 1
        averaged = max(1, self.updates - self.start)  # steps in the mean, this one included
        decay = min(self.decay, (averaged - 1) / averaged)
        for name, parameter in self.model.named_parameters():
            self.weights[name] = self.weights[name].to(parameter.device)
            self.weights[name].lerp_(parameter, 1 - decay)

    @contextmanager
    def applied(self) -> Iterator[nn.Module]:
        """The model with the average in place of its parameters, which come back afterwards."""
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

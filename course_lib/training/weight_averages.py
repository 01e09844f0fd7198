"""Averages of the weights, often better than the last weights, and what they are made of.

average = WeightAverage(model)                # of all steps, kept while training
last = EpochWeights(folder, len(batches))     # for `checkpoint_average.averaged(list(last))`
history = fit(…, average=average, after_step=last, folder=folder)

Paper statement R62 (lectures/paper_audit.md).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, overload

import torch
from torch import Tensor, nn

State = dict[str, Tensor]


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
    def _put(self, weights: State) -> None:
        for name, parameter in self.model.named_parameters():
            parameter.copy_(weights[name])

    def state_dict(self) -> dict[str, Any]:
        return {"updates": self.updates, "weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.updates, self.weights = state["updates"], dict(state["weights"])


class EpochWeights(Sequence[State]):
    """Copies of the weights after the last `most` epochs, the latest at the end, on the CPU.

    `steps` is the number of steps of an epoch. Those that an interrupted training wrote into
    `folder` are there again. As `after_step` of `fit`, it is called after every step.
    """

    def __init__(self, folder: Path, steps: int, most: int = 5) -> None:
        self.folder, self.steps, self.most = folder / "epochs", steps, most
        found = sorted(self.folder.glob("*.pt"))[-most:]
        self._states = {int(path.stem): torch.load(path, weights_only=True) for path in found}

    def __call__(self, model: nn.Module, step: int) -> None:
        epoch, rest = divmod(step, self.steps)
        if rest:
            return
        kept = {name: t.detach().cpu().clone() for name, t in model.state_dict().items()}
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self._path(epoch).with_suffix(".part")
        torch.save(kept, part)
        part.replace(self._path(epoch))
        self._states[epoch] = kept
        for old in sorted(self._states)[: -self.most]:
            del self._states[old]
            self._path(old).unlink(missing_ok=True)

    def _path(self, epoch: int) -> Path:
        return self.folder / f"{epoch:04}.pt"

    @overload
    def __getitem__(self, index: int) -> State: ...

    @overload
    def __getitem__(self, index: slice) -> list[State]: ...

    def __getitem__(self, index: int | slice) -> State | list[State]:
        return [self._states[epoch] for epoch in sorted(self._states)][index]

    def __len__(self) -> int:
        return len(self._states)

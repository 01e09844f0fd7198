"""The weights after each of the last epochs, kept on disk too while a training may be interrupted.

last = EpochWeights(folder, len(batches))
history = fit(…, after_step=last, folder=folder)
mean = averaged(list(last))
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

import torch
from torch import Tensor, nn

State = dict[str, Tensor]


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

"""Training checkpoints: everything needed to resume with identical results.

    FOLDER/checkpoint-000003/model.safetensors   the weights
                             state.pt            optimizer, schedule …: the states of `parts`
                             random-0.pt         the random generators of process 0
                             progress.json       the identity of the training, and its progress

A checkpoint is written to a draft folder and renamed, so it is never half-written. Accelerate's
`save_state` is not used: it writes in place, so a killed process leaves an unreadable folder; its
checkpoints do not identify their training; and custom objects are loaded as pickles, which can run
arbitrary code.
"""

import json
import pickle
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

DIVERGED = "diverged"  # an empty file beside the checkpoints


class CheckpointError(Exception):
    """A checkpoint that is unreadable or from another training, in one sentence."""


class Checkpoints:
    """The checkpoints of one training in `folder`; only the newest is kept.

    `parts` are objects with `state_dict` and `load_state_dict`. `identity` identifies the training:
    a checkpoint with a different one is rejected, or removed if its training diverged. Each
    `process` saves its own random state, rank 0 saves the rest, and `wait` is a barrier for all.
    """

    def __init__(
        self,
        folder: Path,
        parts: Mapping[str, Any],
        identity: Mapping[str, Any],
        process: int = 0,
        wait: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder, self.parts = folder, dict(parts)
        self.identity: dict[str, Any] = json.loads(json.dumps(identity))  # as it is read again
        self.process, self.wait = process, wait
        self.random: dict[str, Any] | None = None  # of this process, as `load` found it

    def newest(self) -> Path | None:
        """The newest checkpoint, if there is one."""
        return max(self.folder.glob("checkpoint-*[0-9]"), default=None)

    def clear(self) -> None:
        """Remove every checkpoint."""
        self.wait()
        if self.process == 0:
            for path in self.folder.glob("checkpoint-*"):
                shutil.rmtree(path)
            (self.folder / DIVERGED).unlink(missing_ok=True)
        self.wait()

    def diverged(self) -> None:
        """Mark the training as diverged, so that one with other settings may replace it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / DIVERGED).touch()

    def save(self, model: nn.Module, progress: Mapping[str, Any]) -> None:
        """Write a checkpoint, then remove the others. `progress` is anything JSON can hold."""
        from safetensors.torch import save_model

        newest = self.newest()
        number = int(newest.name.rpartition("-")[2]) + 1 if newest else 1
        checkpoint = self.folder / f"checkpoint-{number:06d}"
        draft = checkpoint.with_suffix(".unfinished")
        self.wait()  # until every process has found the newest, which is replaced below
        draft.mkdir(parents=True, exist_ok=True)
        torch.save(random_state(), draft / f"random-{self.process}.pt")
        self.wait()
        if self.process == 0:
            save_model(model, str(draft / "model.safetensors"))
            states = {name: part.state_dict() for name, part in self.parts.items()}
            torch.save(states, draft / "state.pt")
            text = json.dumps({"identity": self.identity, **progress})
            (draft / "progress.json").write_text(text, encoding="utf-8")
            draft.rename(checkpoint)
            for path in set(self.folder.glob("checkpoint-*")) - {checkpoint}:
                shutil.rmtree(path)
            (self.folder / DIVERGED).unlink(missing_ok=True)
        self.wait()

    def load(self, model: nn.Module) -> dict[str, Any] | None:
        """Load the newest checkpoint into the model and the parts; returns its `progress`.

        Returns None when there is no checkpoint, and for other settings than those of a training
        that diverged, whose checkpoint it removes. The random generators are left alone; their
        saved state is in `self.random`. Raises CheckpointError for a checkpoint that is unreadable
        or from another training.
        """
        from safetensors import SafetensorError
        from safetensors.torch import load_model

        checkpoint = self.newest()
        if checkpoint is None:
            return None
        try:
            progress = json.loads((checkpoint / "progress.json").read_text(encoding="utf-8"))
            if other := self._other_setting(progress.pop("identity"), checkpoint):
                if not (self.folder / DIVERGED).exists():
                    raise CheckpointError(other)
                self.clear()
                return None
            states = torch.load(checkpoint / "state.pt", weights_only=True, map_location="cpu")
            generators = torch.load(checkpoint / f"random-{self.process}.pt", weights_only=True)
            load_model(model, checkpoint / "model.safetensors")
            for name, part in self.parts.items():
                part.load_state_dict(states[name])
        except (
            *(OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, RuntimeError),
            *(SafetensorError, pickle.UnpicklingError),
        ) as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise CheckpointError(
                f"the checkpoint {checkpoint} cannot be read, or is of another model ({reason}): "
                "delete it, or choose another folder"
            ) from error
        self.random = generators
        return progress

    def _other_setting(self, found: dict[str, Any], checkpoint: Path) -> str:
        """A sentence on the first setting that differs, or ""."""
        for name in self.identity:
            if name in found and found[name] != self.identity[name]:
                return (
                    f"the checkpoint {checkpoint} is of another training ({name} was "
                    f"{found[name]!r} and is {self.identity[name]!r}): delete it, or choose "
                    "another folder"
                )
        return ""


def random_state() -> dict[str, Any]:
    """The state of Python's, NumPy's and torch's generators, on the CPU and on every GPU."""
    name, keys, *rest = np.random.get_state()
    return {
        "python": random.getstate(),
        "numpy": [str(name), torch.from_numpy(np.asarray(keys, dtype=np.int64)), *rest],
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def set_random_state(state: dict[str, Any]) -> None:
    """Restore what `random_state` returned."""
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    name, keys, *rest = state["numpy"]
    np.random.set_state((name, keys.numpy().astype(np.uint32), *rest))
    torch.set_rng_state(state["torch"])
    if state["cuda"]:
        torch.cuda.set_rng_state_all(state["cuda"])

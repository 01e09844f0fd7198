"""Checkpoints of a training: all that is needed to go on as if nothing had happened.

    FOLDER/checkpoint-000003/model.safetensors   the weights
                             state.pt            optimizer, schedule …: what `parts` names
                             random-0.pt         the random generators of process 0
                             progress.json       which training it is, how far it got

A checkpoint is written beside its place and renamed into it, so there is no half-written one.
Accelerate's `save_state` writes in place: killed meanwhile, it leaves a folder that cannot be read
back, no checkpoint says which training it is of, and parts of our own come back as pickles that may
run anything. So its devices are used here, not its files.
"""

import json
import pickle
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .random_state import random_state


class CheckpointError(Exception):
    """A checkpoint that cannot be used, in one sentence."""


class Checkpoints:
    """The checkpoints of one training in `folder`; only the newest is kept.

    `parts` are objects with `state_dict` and `load_state_dict`. `identity` says which training
    it is: a checkpoint with another one is refused. Each `process` keeps its own random state, the
    first writes the rest, and `wait` lets it wait for the others.
    """

    def __init__(
        self,
        folder: Path,
        parts: Mapping[str, Any],
        identity: Mapping[str, Any],
        process: int = 0,
        wait: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder, self.parts, self.identity = folder, dict(parts), dict(identity)
        self.process, self.wait = process, wait
        self.random: dict[str, Any] | None = None  # of this process, as `load` found it

    def newest(self) -> Path | None:
        """The newest checkpoint, if there is one."""
        return max(self.folder.glob("checkpoint-*[0-9]"), default=None)

    def clear(self) -> None:
        """Remove every checkpoint."""
        if self.process == 0:
            for path in self.folder.glob("checkpoint-*"):
                shutil.rmtree(path)
        self.wait()

    def save(self, model: nn.Module, progress: Mapping[str, Any]) -> None:
        """Write a checkpoint, then remove the others. `progress` is anything JSON can hold."""
        from safetensors.torch import save_model

        newest = self.newest()
        number = int(newest.name.rpartition("-")[2]) + 1 if newest else 1
        place = self.folder / f"checkpoint-{number:06d}"
        draft = place.with_suffix(".unfinished")
        self.wait()  # every process has looked for the newest before it is replaced
        draft.mkdir(parents=True, exist_ok=True)
        torch.save(random_state(), draft / f"random-{self.process}.pt")
        self.wait()
        if self.process == 0:
            save_model(model, str(draft / "model.safetensors"))
            states = {name: part.state_dict() for name, part in self.parts.items()}
            torch.save(states, draft / "state.pt")
            text = json.dumps({"identity": self.identity, **progress})
            (draft / "progress.json").write_text(text, encoding="utf-8")
            draft.rename(place)
            for path in set(self.folder.glob("checkpoint-*")) - {place}:
                shutil.rmtree(path)
        self.wait()

    def load(self, model: nn.Module) -> dict[str, Any] | None:
        """Put the newest checkpoint into the model and the parts; returns its `progress`.

        None when there is none. The random generators are left alone: their state is `random`.
        Raises CheckpointError when it is broken, or of another training.
        """
        from safetensors import SafetensorError
        from safetensors.torch import load_model

        place = self.newest()
        if place is None:
            return None
        try:
            progress = json.loads((place / "progress.json").read_text(encoding="utf-8"))
            self._check_identity(progress.pop("identity"), place)
            states = torch.load(place / "state.pt", weights_only=True, map_location="cpu")
            random = torch.load(place / f"random-{self.process}.pt", weights_only=True)
            load_model(model, place / "model.safetensors")
            for name, part in self.parts.items():
                part.load_state_dict(states[name])
        except (
            *(OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, RuntimeError),
            *(SafetensorError, pickle.UnpicklingError),
        ) as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise CheckpointError(
                f"the checkpoint {place} cannot be read, or is of another model ({reason}): "
                "delete it, or choose another folder"
            ) from error
        self.random = random
        return progress

    def _check_identity(self, found: dict[str, Any], place: Path) -> None:
        for name, value in self.identity.items():
            if found.get(name) != value:
                raise CheckpointError(
                    f"the checkpoint {place} is of another training ({name} was "
                    f"{found.get(name)!r} and is {value!r}): delete it, or choose another folder"
                )

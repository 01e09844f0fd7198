"""The identity of a training as plain data, so that a checkpoint resumes no other training.

It has the settings of the model, the optimizer and the schedule, the seed, and the first batch.
Settings are the attributes with the name of a constructor's parameter, and public text and
switches: others, such as counters, may change while a training runs.
"""

import hashlib
import inspect
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import torch
from torch import Tensor, nn

PLAIN = (bool, int, float, str, type(None))
NO_SETTING = ("optimizer", "last_epoch", "verbose", "training")


def identity_of(
    model: nn.Module, batches: Any, optimizer: torch.optim.Optimizer, schedule: Any, average: Any
) -> dict[str, Any]:
    """Everything that a training depends on, by name. Draws the first batch of epoch 0."""
    found = {"seed": torch.initial_seed(), "first batch": _first_batch(batches)}
    for name, part in model.named_modules():
        found.update(_flat(".".join(filter(None, ("model", name))), part))
    found["optimizer"] = type(optimizer).__name__
    for number, group in enumerate(optimizer.param_groups):
        rate = {"lr": group.get("initial_lr", group["lr"])}
        for name, value in {**group, **rate, "params": len(group["params"])}.items():
            if name != "initial_lr":
                found[f"optimizer.{number}.{name}"] = _plain(value)
    found.update(_flat("schedule", schedule))
    found.update(_flat("average", average))
    return found


def _flat(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """The class of an object, and its settings, each with its dotted name."""
    yield name, type(thing).__name__
    try:
        parameters = {name.rstrip("s") for name in inspect.signature(type(thing)).parameters}
    except ValueError:  # None and other objects in C
        return
    for attribute, value in getattr(thing, "__dict__", {}).items():
        setting = attribute.strip("_")
        is_named = setting.rstrip("s") in parameters
        is_kind = isinstance(value, (str, bool)) and not attribute.startswith("_")
        if (is_named or is_kind) and setting not in NO_SETTING:
            yield f"{name}.{setting}", _plain(value)


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: of a function its constants, of other objects their settings."""
    if isinstance(value, Tensor):
        value = value.tolist() if value.numel() == 1 else list(value.shape)
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, FunctionType):
        held = inspect.getclosurevars(value).nonlocals
        numbers = [one for one in value.__code__.co_consts if isinstance(one, (int, float))]
        return [value.__qualname__, numbers, {n: v for n, v in held.items() if type(v) in PLAIN}]
    if isinstance(value, torch.optim.lr_scheduler.LRScheduler):
        return dict(_flat("", value))
    return type(value).__name__


def _first_batch(batches: Any) -> str:
    """A short hash of the first batch of epoch 0."""
    batches.set_epoch(0)
    digest = hashlib.sha256()
    for tensor in next(iter(batches), ()):
        plain = tensor.detach().cpu().contiguous()
        digest.update(repr((plain.dtype, tuple(plain.shape))).encode())
        digest.update(plain.flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:12]

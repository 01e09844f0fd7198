"""Checks of a model's gradients: autograd's against the slopes that are measured.

A part that is detached still changes the loss, so its slope is not zero. Small parts come before
what contains them: the first one with another gradient is where the path is cut.
"""

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from .calls import watched
from .check import Check, Fault, first_of

STEP, FINER = 1e-4, 1e-6  # in 64 bits
CLOSE = 3e-2  # relative

Loss = Callable[[], Tensor]


def gradients(model: nn.Module, loss: Callable[[nn.Module], Tensor]) -> Check:
    """Every parameter has the gradient that the slope of the loss says: nothing is cut off.

    A slope is measured by moving all numbers of a tensor a little in a random direction, there and
    back, without dropout.
    """
    name = "gradients"
    try:
        made = copy.deepcopy(model).double().eval()
        loss(made)
    except (RuntimeError, TypeError) as error:
        said = str(error).partition("\n")[0]
        return Check(name, None, f"the model does not run in 64 bits ({said})", "")
    return first_of(name, _of_model(made, loss), "as measured, of every part and parameter")


def _of_model(made: nn.Module, loss: Callable[[nn.Module], Tensor]) -> Iterator[Fault]:
    for name, parameter in made.named_parameters():
        if not parameter.requires_grad:
            yield f"{name} is frozen", "without requires_grad_(False) it is trained, too"
    for part in made.modules():
        if isinstance(part, nn.Embedding) and part.padding_idx is not None:
            setattr(part.weight, "padding_row", part.padding_idx)  # noqa: B010 (torch keeps it still)
    kinds = {type(part): path for path, part in made.named_modules() if path and _is_own(part)}
    parts = {path: made.get_submodule(path) for path in kinds.values()}  # the last of each kind
    with watched(parts) as calls, torch.no_grad():
        loss(made)
    for path, part in sorted(parts.items(), key=lambda pair: len([*pair[1].modules()])):
        if path in calls.given:
            given = [_copied(one) for one in calls.given[path][0]]
            yield from _of_part(path, part, given)
    yield from _of_slopes("", lambda: loss(made), dict(made.named_parameters()))


def _is_own(part: nn.Module) -> bool:
    """Whether somebody wrote it: torch's own parts have the right gradients."""
    return not type(part).__module__.startswith("torch.")


def _copied(given: Any) -> Any:
    if isinstance(given, Tensor) and given.is_floating_point():
        return given.detach().clone().requires_grad_()
    return given


def _of_part(path: str, part: nn.Module, given: list[Any]) -> Iterator[Fault]:
    moved = {f"its input {i + 1}": one for i, one in enumerate(given) if isinstance(one, Tensor)}
    moved = {name: one for name, one in moved.items() if one.requires_grad}

    def loss() -> Tensor:
        # + 0: an input may be changed in place, but no leaf that has a gradient
        output = part(*(one + 0 if one is not None and id(one) in leaves else one for one in given))
        first = output[0] if isinstance(output, tuple) else output
        return (first * torch.linspace(-1, 1, first.numel()).view(first.shape)).sum()

    leaves = {id(one) for one in moved.values()}
    yield from _of_slopes(f"{path}: ", loss, moved | dict(part.named_parameters()))


def _of_slopes(where: str, loss: Loss, moved: dict[str, Tensor]) -> Iterator[Fault]:
    """Faults of the gradients with respect to the tensors in `moved`."""
    value = loss()
    if not torch.isfinite(value):
        advice = "look for a division by 0, the log of 0, or a row with every key masked"
        yield f"{where}the output has {value.item()}", advice
        return
    if not value.requires_grad:
        advice = "no_grad, detach, .data or item between the parameters and the loss"
        yield f"{where}no gradient at all", advice
        return
    names, tensors = zip(*moved.items(), strict=True)
    try:
        found = torch.autograd.grad(value, tensors, allow_unused=True)
    except RuntimeError as error:
        said = str(error).partition(":")[0]
        yield f"{where}{said}", "make new tensors: what is written in place has no gradient"
        return
    for name, tensor, gradient in reversed([*zip(names, tensors, found, strict=True)]):
        along = 0.0 if gradient is None else (gradient * _direction(tensor)).sum().item()
        slope = _slope(loss, tensor, STEP)
        finer = slope if _close(slope, along) else _slope(loss, tensor, FINER)
        if not _close(finer, along):  # at no corner of a ReLU
            advice = "a path is cut off (detach, no_grad, .data), or a number takes its place"
            yield f"{where}{name}: slope {finer:.2g}, autograd's gradient {along:.2g}", advice
        if gradient is None and slope == 0 and isinstance(tensor, nn.Parameter):
            yield f"{where}{name} changes nothing", "is it used in forward?"


def _close(one: float, other: float) -> bool:
    return abs(one - other) < CLOSE * max(abs(one), abs(other)) + 1e-7


def _direction(tensor: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randn(tensor.shape, generator=generator).to(tensor)
    if (row := getattr(tensor, "padding_row", None)) is not None:
        drawn[row] = 0
    return drawn / math.sqrt(max(drawn.numel(), 1))


@torch.no_grad()
def _slope(loss: Loss, tensor: Tensor, step: float) -> float:
    before, values = tensor.clone(), []
    for sign in (1, -1):
        tensor.copy_(before + sign * step * _direction(tensor))
        values.append(loss().item())
    tensor.copy_(before)
    return (values[0] - values[1]) / (2 * step)

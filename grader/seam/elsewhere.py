"""Repeats a call with its tensors on another device, or in float64: what a GPU would show.

torch's device "meta" computes shapes alone, on any machine. A call that mixes devices or dtypes
fails there as on a GPU. Code that looks at values cannot run on it, which says nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

MIXED = re.compile(
    r"same device|two devices|different devices|device type|same dtype|to have the same dtype"
    r"|must match.*dtype|scalar type|expected (?:m1|mat1).*dtype",
    re.IGNORECASE | re.DOTALL,
)
HOW = ("meta", "float64")


def keeps(target: Any, args: list[Any], kwargs: dict[str, Any], how: str) -> bool:
    """False if the call mixes, or leaves, what its tensors have in common.

    `how` is "meta" (all tensors and modules on this device) or "float64" (all that are floats).
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return True

    def moved(tensor: Any) -> Any:
        if how == "meta":
            return tensor.to("meta")
        return tensor.double() if tensor.is_floating_point() else tensor

    given = [_each(value, moved, torch) for value in (target, args, kwargs)]
    if not any(_tensors(value, torch) for value in given[1:]):
        return True
    try:
        found = _tensors(given[0](*given[1], **given[2]), torch)
    except Exception as error:
        return not MIXED.search(str(error))
    if how == "meta":
        return all(one.device.type == "meta" for one in found)
    return all(one.dtype == torch.float64 for one in found if one.is_floating_point())


def _each(value: Any, moved: Callable[[Any], Any], torch: Any) -> Any:
    """The value with every tensor in it moved; a module and its buffers are moved in place."""
    if isinstance(value, torch.Tensor):
        return moved(value)
    if isinstance(value, torch.nn.Module):
        return value._apply(moved)
    if isinstance(value, dict):
        return {name: _each(one, moved, torch) for name, one in value.items()}
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_each(one, moved, torch) for one in value)
    return value


def _tensors(value: Any, torch: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in _tensors(one, torch)]
    return []

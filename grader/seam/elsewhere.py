"""Repeats a call with its tensors on another device: what a GPU would show, on any machine.

torch's device "meta" computes shapes alone. A call that mixes devices fails there as on a GPU. Code
that looks at values cannot run on it, which says nothing.
"""

from __future__ import annotations

import re
import sys
from typing import Any

MIXED = re.compile(r"same device|two devices|different devices", re.IGNORECASE)


def keeps(target: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """False if the call mixes devices, or leaves that of its tensors."""
    torch = sys.modules.get("torch")
    if torch is None:
        return True
    target, args, kwargs = (_moved(value, torch) for value in (target, args, kwargs))
    if not _tensors([args, kwargs], torch):
        return True
    try:
        found = _tensors(target(*args, **kwargs), torch)
    except Exception as error:
        return not MIXED.search(str(error))
    return all(one.device.type == "meta" for one in found)


def _moved(value: Any, torch: Any) -> Any:
    """The value with every tensor in it moved; a module is moved in place."""
    if isinstance(value, (torch.Tensor, torch.nn.Module)):
        return value.to("meta")
    if isinstance(value, dict):
        return {name: _moved(one, torch) for name, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_moved(one, torch) for one in value)
    return value


def _tensors(value: Any, torch: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in _tensors(one, torch)]
    return []

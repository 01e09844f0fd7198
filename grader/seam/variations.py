"""Repeats a call with its arrays and tensors in another form: another device, precision or shape.

A GPU is shown on any machine: torch's device "meta" computes shapes alone, and a call that mixes
devices fails there as on a GPU. Code that looks at values cannot run on it, which says nothing.
"""

import copy
import re
import sys
from collections.abc import Callable, Collection
from types import MethodType
from typing import Any

import numpy as np

MIXED = re.compile("tensors to be on the same device|same device type|the expected device")
MOVES = ("index", "index_put", "index_put_", "copy_", "_to_copy")  # operations that may mix devices
CLOSE = 1e-3  # of numbers in another precision
Call = tuple[Any, list[Any], dict[str, Any]]  # what is called, with what


def holds(given: Call, names: Collection[str]) -> dict[str, bool]:
    """By the name of each of these variations: whether the call gives there what it should.

    Arrays, tensors and modules stay as they are; other objects, such as an optimizer, are used
    again. A call without arrays has no variations; one that cannot be repeated holds.
    """
    if not _arrays(given[1:]):
        return {}
    try:
        as_it_is = _arrays(_made(copied(given)))
    except Exception:
        return dict.fromkeys(names, True)
    return {name: _holds(VARIATIONS[name], given, as_it_is) for name in names}


def copied(value: Any) -> Any:
    """The value with copies of its arrays, tensors and modules."""
    return _each(value, _copy)


def _copy(one: Any) -> Any:
    """A deep copy, also of a module that keeps a result, such as the weights of its last call."""
    parts = one.modules() if hasattr(one, "modules") else []
    kept = (array for part in parts for array in _arrays(list(vars(part).values())))
    results = [array for array in kept if getattr(array, "grad_fn", None) is not None]
    return copy.deepcopy(one, {id(tensor): tensor.detach().clone() for tensor in results})


def _holds(vary: Callable[[Call, list[Any]], bool], given: Call, as_it_is: list[Any]) -> bool:
    try:
        return vary(copied(given), as_it_is)
    except Exception:
        return False


def _on_another_device(call: Call, as_it_is: list[Any]) -> bool:
    """The call mixes no devices and stays on that of its tensors."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not _arrays(call[1:], torch.Tensor):
        return True
    from torch.utils._python_dispatch import TorchDispatchMode

    mixed = False

    class Watch(TorchDispatchMode):  # most products of two devices raise nothing on this one
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            nonlocal mixed
            given = [one for one in _arrays([args, kwargs], torch.Tensor) if one.ndim]
            moves = function.overloadpacket.__name__ in MOVES
            mixed |= len({one.device.type for one in given}) > 1 and not moves
            return function(*args, **(kwargs or {}))

    moved = _each(call, lambda one: one.to("meta") if hasattr(one, "to") else one)
    try:
        with Watch():
            found = _made(moved)
    except Exception as error:
        return not mixed and not MIXED.search(str(error))
    return not mixed and all(one.device.type == "meta" for one in _arrays(found, torch.Tensor))


def _in_double_precision(call: Call, as_it_is: list[Any]) -> bool:
    """Tensors of float32 become float64, and so do the results; the numbers are about the same."""
    torch = sys.modules.get("torch")
    if torch is None or not any(one.dtype == torch.float32 for one in _arrays(call[1:])):
        return True

    def double(one: Any) -> Any:
        is_module = isinstance(one, torch.nn.Module)
        return one.double() if is_module or one.dtype == torch.float32 else one

    found = _arrays(_made(_each(call, double)))
    return _are_alike(found, as_it_is) and all(
        new.dtype == torch.float64
        for new, old in zip(found, as_it_is, strict=True)
        if old.dtype == torch.float32
    )


def _the_first_alone(call: Call, as_it_is: list[Any]) -> bool:
    """The first of several gives alone what it gives among the others."""
    size = next((one.shape[0] for one in _arrays(call[1:]) if one.ndim > 1), 0)
    if size < 2:  # there is no batch
        return False

    def first(one: Any) -> Any:
        return one[:1] if getattr(one, "shape", ())[:1] == (size,) else one

    found = _arrays(_made((call[0], *_each(call[1:], first))))
    return _are_alike(found, [first(one) for one in as_it_is])


def _with_a_leading_axis(call: Call, as_it_is: list[Any]) -> bool:
    """A leading axis of one more is kept."""

    def more(one: Any) -> Any:
        return one[None] if getattr(one, "ndim", 0) > 1 else one

    found = _arrays(_made((call[0], *_each(call[1:], more))))
    return _are_alike(found, [one[None] for one in as_it_is])


VARIATIONS = {
    "device": _on_another_device,
    "precision": _in_double_precision,
    "one": _the_first_alone,
    "axis": _with_a_leading_axis,
}


def _made(call: Call) -> Any:
    target, args, kwargs = call
    return target(*args, **kwargs)


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with every array, tensor and module in it changed, also a method's own module."""
    if isinstance(value, _kinds()):
        return change(value)
    if isinstance(value, MethodType) and isinstance(value.__self__, _kinds()):
        return MethodType(value.__func__, change(value.__self__))
    if isinstance(value, dict):
        return {name: _each(one, change) for name, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_each(one, change) for one in value)
    return value


def _kinds() -> tuple[type, ...]:
    """Of arrays, and where torch is imported of tensors and modules."""
    torch = sys.modules.get("torch")
    return (np.ndarray, torch.Tensor, torch.nn.Module) if torch else (np.ndarray,)


def _arrays(value: Any, kind: Any = object) -> list[Any]:
    """All arrays and tensors in a value, in order, those of named tuples included."""
    if isinstance(value, (list, tuple, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return [array for part in parts for array in _arrays(part, kind)]
    return [value] if isinstance(value, _kinds()[:2]) and isinstance(value, kind) else []


def _are_alike(some: list[Any], others: list[Any]) -> bool:
    """Whether there are some, and they have the same shapes and about the same numbers."""
    pairs = [(_numbers(a), _numbers(b)) for a, b in zip(some, others, strict=True)]
    return bool(pairs) and all(
        a.shape == b.shape and np.allclose(a, b, CLOSE, CLOSE, equal_nan=True) for a, b in pairs
    )


def _numbers(one: Any) -> np.ndarray:
    return np.asarray(one.detach() if hasattr(one, "detach") else one).astype(float)

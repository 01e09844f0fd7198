"""Makes code that disables the torch hook raise while a ban is active.

`torch_calls` hears of a call only through them. A worker guards the switches before it loads
a student's code, so a reference that this keeps is to a guarded one. What is not guarded: where an
assignment does not import torch itself, a reference that a notebook keeps; and the guard's own
objects, which a search of the process finds.
"""

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType
from typing import Any

from . import torch_calls
from .errors import PolicyViolation

_OF_C = (
    "DisableTorchFunction", "_dispatch_call_boxed", "_pop_torch_function_stack",
    "_set_skip_next_torch_function", "_set_torch_function_state", "_skip_one_hop_torch_function",
)  # fmt: skip
_POP = "_pop_torch_function_stack"


def places() -> list[tuple[Any, str]]:
    """The place of each switch: owner and attribute; none without torch or in another version."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    from torch import overrides

    operation = torch.ops.aten.alias.default
    found = [(torch._C, name) for name in _OF_C]
    found += [(torch, "DisableTorchFunction"), (overrides, _POP)]
    found += [(type(operation), "redispatch"), (type(operation._handle), "redispatch_boxed")]
    return [(owner, name) for owner, name in found if hasattr(owner, name)]


def guard() -> None:
    """Guard every switch, for as long as this process lives."""
    for owner, name in places():
        original = getattr(owner, name)
        setattr(owner, name, _asked_first(original, name, _pops if name == _POP else _always))


def _asked_first(original: Any, name: str, switches_off: Callable[[], bool]) -> Any:
    """The same, but it raises where a ban would no longer be noticed."""
    torch_calls.watch_class()  # which keeps the switch that it ends with

    def guarded(*args: Any, **kwargs: Any) -> Any:
        if torch_calls.hears_of_torch() and switches_off():
            raise PolicyViolation(f"torch._C.{name}")
        return original(*args, **kwargs)

    return guarded


def _always() -> bool:
    return True


def _pops() -> bool:
    """Whether the guard's mode is about to be taken off by code that does not put it back."""
    import torch

    number = torch._C._len_torch_function_stack()
    if not number:
        return False
    top = torch._C._get_function_stack_at(number - 1)
    if not isinstance(top, torch_calls.watch_class()):
        return False
    frame = sys._getframe(2)
    passed_on, puts_back = _of_torch()
    while frame.f_back and (
        frame.f_code in passed_on or frame.f_code.co_filename == contextlib.__file__
    ):
        frame = frame.f_back
    return frame.f_code not in puts_back


@lru_cache(maxsize=1)
def _of_torch() -> tuple[set[CodeType], set[CodeType]]:
    """Functions of torch that take a mode off for their caller, and those that put it back."""
    from torch import overrides
    from torch.utils._device import DeviceContext

    temporarily = inspect.unwrap(overrides._pop_mode_temporarily)
    back = (overrides.handle_torch_function, DeviceContext.__enter__, DeviceContext.__exit__)
    return (
        {overrides._pop_mode.__code__, temporarily.__code__},
        {code for function in back for code in _codes(function.__code__)},
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of comprehensions in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)

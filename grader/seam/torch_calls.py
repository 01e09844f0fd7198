"""Intercepts every call of a function of torch, and refuses those that are forbidden now."""

import _thread
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from .errors import PolicyViolation

STARTS = [(threading.Thread, "_bootstrap_inner"), (_thread, "start_new_thread")]  # of threads
REPLACED = "something put in the place of a function of torch"

_in_force: dict[str, str] = {}  # in every thread: last part of a name of torch → the name
_of_names: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}  # by what is in force, verdicts
_verdicts: dict[str, str] = {}  # by what torch announces; training calls the same few very often


@contextmanager
def watched(names: Mapping[str, str]) -> Iterator[None]:
    """Refuse these while the body runs, in every thread that is watched."""
    global _verdicts
    _in_force.update(names)
    _verdicts = _of_names.setdefault(tuple(names.items()), {})
    try:
        with watch_class()():
            yield
    finally:
        _in_force.clear()


def hears_of_torch() -> bool:
    """Whether a ban of something of torch is in force."""
    return bool(_in_force)


def plain(announced: str) -> str:
    """A function's name without what marks it as internal: `_softmax.default` is a softmax."""
    bare = announced.partition(".")[0].lstrip("_")
    return bare.removeprefix("special_").removeprefix("linalg_")


def watch_new_threads() -> None:
    """Have each thread that starts from now on watched, for whatever ban is in force later."""
    for owner, name in STARTS if "torch" in sys.modules else ():
        setattr(owner, name, under_watch(getattr(owner, name), owner))


def under_watch(original: Any, owner: Any) -> Any:
    """A function that watches its thread while it runs, or while what it starts runs."""

    def inside(*args: Any, **kwargs: Any) -> Any:
        with watch_class()():
            return original(*args, **kwargs)

    def started(function: Any, *args: Any) -> Any:
        return original(under_watch(function, None), *args)

    return started if owner is _thread else inside


@lru_cache(maxsize=1)
def watch_class() -> Any:
    """The mode that hears of torch's calls."""
    from torch.overrides import TorchFunctionMode, _pop_torch_function_stack

    class Watch(TorchFunctionMode):
        """Refuses calls of torch's functions by name, in one thread."""

        def __exit__(self, *_: object) -> None:
            _pop_torch_function_stack()

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if _in_force and (refused := _verdict(func)):
                raise PolicyViolation(refused)
            return func(*args, **(kwargs or {}))

    return Watch


def _verdict(func: Any) -> str:
    """The ban that a function that torch announces falls under, or ""."""
    if not (getattr(func, "__module__", None) or "torch").startswith("torch"):
        return REPLACED  # torch has looked it up by its name
    name = getattr(func, "__name__", "")
    if name not in _verdicts:
        refused = (n for p, n in _in_force.items() if fnmatchcase(plain(name), p))
        _verdicts[name] = next(refused, "")
    return _verdicts[name]

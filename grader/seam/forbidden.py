"""What an exercise forbids, enforced while a student's code runs.

There are three layers, two of them here: forbidden names are replaced in their modules by a class
that raises, and torch's function calls are watched, which also catches names imported before the
replacement. (The third is the judge's look at the syntax tree.) This is best effort.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from .errors import PolicyViolation


@lru_cache
def watched(names: tuple[str, ...]) -> tuple[str, ...]:
    """Of dotted names, the last parts of those that torch may announce: all but known classes.

    Torch announces no class, only the functions that it calls, and to watch every function costs
    many a test a fifth of its time. The test's side decides this, where no student's code has run,
    and by what a name stands for there. A name that it does not know is watched.
    """
    in_torch = [name for name in names if name.startswith("torch")]
    return tuple(name.rpartition(".")[2] for name in in_torch if not _only_classes(name))


def _only_classes(pattern: str) -> bool:
    found = list(_named(pattern).values())
    return bool(found) and all(
        isinstance(one, type) and getattr(one, "replaces_class", True) for one in found
    )


def _named(pattern: str) -> dict[str, Any]:
    """What a dotted name stands for, by attribute of its module; empty if that is not imported."""
    module_name, _, attribute = pattern.rpartition(".")
    module = sys.modules.get(module_name)
    attributes = vars(module) if module else {}
    if "*" in attribute:
        return {name: attributes[name] for name in attributes if fnmatchcase(name, attribute)}
    return {attribute: attributes[attribute]} if attribute in attributes else {}


class Rules:
    """Dotted names that may not be used; `*` is a wildcard, as in "torch.nn.Transformer*".

    `watched`: names of functions that may not be called, however they were imported.
    """

    def __init__(self, names: Sequence[str], watched: Sequence[str] = ()):
        self.names, self.watched = list(names), list(watched)
        self._replaced: list[tuple[Any, str, Any]] = []
        self._verdicts: dict[str, bool] = {}

    def impose(self) -> None:
        for pattern in self.names:
            module_name = pattern.rpartition(".")[0]
            for name, original in _named(pattern).items():
                if callable(original):
                    module = sys.modules[module_name]
                    self._replaced.append((module, name, original))
                    setattr(module, name, _forbidden(f"{module_name}.{name}", original))

    def lift(self) -> None:
        while self._replaced:
            module, name, original = self._replaced.pop()
            setattr(module, name, original)
        self.names, self.watched = [], []

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Watch torch's own functions while the body runs."""
        if not self.watched or "torch" not in sys.modules:
            yield
            return
        from torch.overrides import TorchFunctionMode

        watched = self.watched
        verdicts = self._verdicts  # by function name: training calls the same few very often

        class Watch(TorchFunctionMode):
            def __torch_function__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                name = getattr(func, "__name__", "")
                if name not in verdicts:
                    verdicts[name] = any(fnmatchcase(name, p) for p in watched)
                if verdicts[name]:
                    raise PolicyViolation(name)
                return func(*args, **(kwargs or {}))

        with Watch():
            yield


def _forbidden(name: str, original: object) -> Any:
    class Forbidden:
        """Replaces a forbidden name; a class, so that subclassing is caught too."""

        replaces_class = isinstance(original, type)

        def __new__(cls, *args: object, **kwargs: object) -> Any:
            raise PolicyViolation(name)

        def __init_subclass__(cls, **kwargs: object) -> None:
            raise PolicyViolation(name)

    return Forbidden

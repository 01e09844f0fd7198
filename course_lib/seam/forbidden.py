"""What an exercise forbids, enforced while a student's code runs.

Two of three layers (the third, the syntax tree, is the judge's): forbidden names are replaced in
their modules by something that raises, and torch's function calls are watched, which also catches
a name that was imported before the replacement. Best effort, and said to be so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any

from .errors import PolicyViolation


class Rules:
    """Dotted names that may not be used, `*` allowed: "torch.nn.Transformer*"."""

    def __init__(self, names: list[str]):
        self.names = list(names)
        self._replaced: list[tuple[Any, str, Any]] = []
        self._verdicts: dict[str, bool] = {}

    def impose(self) -> None:
        for pattern in self.names:
            module_name, _, attribute = pattern.rpartition(".")
            module = sys.modules.get(module_name)
            there = vars(module) if module else {}
            names = [attribute] if attribute in there else []
            if "*" in attribute:
                names = [name for name in there if fnmatchcase(name, attribute)]
            for name in names:
                original = getattr(module, name)
                if callable(original):
                    self._replaced.append((module, name, original))
                    setattr(module, name, _forbidden(f"{module_name}.{name}"))

    def lift(self) -> None:
        while self._replaced:
            module, name, original = self._replaced.pop()
            setattr(module, name, original)
        self.names = []

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Watch torch's own functions while the body runs."""
        torch_names = [name for name in self.names if name.startswith("torch")]
        if not torch_names or "torch" not in sys.modules:
            yield
            return
        from torch.overrides import TorchFunctionMode

        short_names = [name.rpartition(".")[2] for name in torch_names]
        verdicts = self._verdicts  # by function name: a training calls the same few very often

        class Watch(TorchFunctionMode):
            def __torch_function__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                name = getattr(func, "__name__", "")
                if name not in verdicts:
                    verdicts[name] = any(fnmatchcase(name, p) for p in short_names)
                if verdicts[name]:
                    raise PolicyViolation(name)
                return func(*args, **(kwargs or {}))

        with Watch():
            yield


def _forbidden(name: str) -> Any:
    class Forbidden:
        """Stands where a forbidden name stood; a class, so that subclassing it is caught too."""

        def __new__(cls, *args: object, **kwargs: object) -> Any:
            raise PolicyViolation(name)

        def __init_subclass__(cls, **kwargs: object) -> None:
            raise PolicyViolation(name)

    return Forbidden

"""What an exercise forbids, enforced while a student's code runs.

There are three layers, two of them here: forbidden names are replaced in their modules by a class
that raises, and torch's function calls are watched, which also catches names imported before the
replacement. (The third is the judge's look at the syntax tree.) This is best effort.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any

from .errors import PolicyViolation


class Rules:
    """Dotted names that may not be used; `*` is a wildcard, as in "torch.nn.Transformer*"."""

    def __init__(self, names: list[str]):
        self.names = list(names)
        self._replaced: list[tuple[Any, str, Any]] = []
        self._verdicts: dict[str, bool] = {}

    def impose(self) -> None:
        for pattern in self.names:
            module_name, _, attribute = pattern.rpartition(".")
            module = sys.modules.get(module_name)
            attributes = vars(module) if module else {}
            names = [attribute] if attribute in attributes else []
            if "*" in attribute:
                names = [name for name in attributes if fnmatchcase(name, attribute)]
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
        verdicts = self._verdicts  # by function name: training calls the same few very often

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
        """Replaces a forbidden name; a class, so that subclassing is caught too."""

        def __new__(cls, *args: object, **kwargs: object) -> Any:
            raise PolicyViolation(name)

        def __init_subclass__(cls, **kwargs: object) -> None:
            raise PolicyViolation(name)

    return Forbidden

"""Makes forbidden functions raise while a student's code runs, whatever path leads to them.

A forbidden Python function, and each method of a forbidden class, has its code exchanged for one
that raises. Compiled functions have no such code: torch announces every call of its own, others are
replaced in place. What is imported later is looked up then.

It is a guard in the student's own process, which `switches` protects. Not noticed are a copy of a
library's text, a process that was started before, and code that takes the guard itself apart.
"""

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from types import FunctionType
from typing import Any

from . import torch_calls
from .errors import PolicyViolation

JIT = "torch.jit"  # compiled by it, a call of torch's functions is not announced

_fits = lru_cache(maxsize=2**16)(fnmatchcase)
_compared: dict[str, tuple[set[str], list[str]]] = {}  # pattern → names seen, and those that fit
_found: dict[str, dict[int, Any]] = {}  # dotted name → what it has stood for in this process


def find(names: Iterable[str]) -> None:
    """Look up what forbidden names stand for; later, a student's code may have put others there."""
    for pattern in names:
        module_name, _, attribute = pattern.rpartition(".")
        stands_for = vars(sys.modules[module_name]) if module_name in sys.modules else {}
        for name in _fitting(attribute, stands_for):
            thing = stands_for.get(name)
            if callable(thing):
                of_name = _found.setdefault(f"{module_name}.{name}", {})
                for one in (thing, _where_it_is_defined(thing)):
                    of_name.setdefault(id(one), one)


def _fitting(pattern: str, names: Mapping[str, Any]) -> list[str]:
    """Those that fit a pattern; a module has thousands, and each is compared once."""
    if not any(mark in pattern for mark in "*?["):
        return [pattern] if pattern in names else []
    compared, fitting = _compared.setdefault(pattern, (set(), []))
    new = names.keys() - compared
    compared |= new
    fitting += sorted(name for name in new if isinstance(name, str) and _fits(name, pattern))
    return fitting


def _where_it_is_defined(thing: Any) -> Any:
    """The same, or what its module defines under its name since that was imported again."""
    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    found = getattr(module, "__dict__", {}).get(getattr(thing, "__name__", ""), thing)
    return found if type(found) is type(thing) else thing


class Rules:
    """Dotted names that may not be used; `*` is a wildcard, as in "torch.nn.Transformer*"."""

    def __init__(self, names: Sequence[str]):
        self.names = list(names)
        self._exchanged: list[tuple[Any, str, Any, Any]] = []  # owner, attribute, what was, what is
        self._refused: set[int] = set()
        self._modules: set[str] = set()  # whose import may bring something forbidden
        self._watched: dict[str, str] = {}
        self._looked_up = False

    def begin(self) -> None:
        """Look again, before the next body, for what the names stand for by then."""
        self._looked_up = False

    @contextmanager
    def imposed(self) -> Iterator[None]:
        """Raises PolicyViolation for any use of a forbidden name while the body runs."""
        if not self.names:
            yield
            return
        if not self._looked_up:
            self._look_up()
            self._looked_up = True
        with ExitStack() as self._stack:
            sys.meta_path.insert(0, self)  # type: ignore[arg-type]
            self._stack.callback(sys.meta_path.remove, self)
            self._stack.callback(self._restore)
            self._refuse(self._exchanged, self._watched)
            yield

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Have a module, if it is one of those, searched after its import."""
        spec = PathFinder.find_spec(name, path, target) if name in self._modules else None
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                known, watched = len(self._exchanged), self._watched
                self._look_up()
                self._refuse(self._exchanged[known:], {} if watched else self._watched)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

    def _refuse(self, exchanged: list[tuple[Any, str, Any, Any]], watched: dict[str, str]) -> None:
        for owner, attribute, _, refusing in exchanged:
            setattr(owner, attribute, refusing)
        if watched:
            self._stack.enter_context(torch_calls.watched(watched))

    def _restore(self) -> None:
        for owner, attribute, original, _ in self._exchanged:
            setattr(owner, attribute, original)

    def _look_up(self) -> None:
        """Add what the names stand for by now."""
        find(self.names)
        for pattern in self.names:
            parts = pattern.split(".")
            self._modules |= {".".join(parts[:number]) for number in range(1, len(parts))}
        for name, thing in _things(self.names):
            if id(thing) not in self._refused:
                self._refused.add(id(thing))
                self._modules.add(getattr(thing, "__module__", None) or "")
                self._exchange(name, thing)
        if "torch" in sys.modules and not self._watched and (watched := _watched(self.names)):
            self._watch_torch(watched)

    def _exchange(self, name: str, thing: Any) -> None:
        functions = _functions(thing)
        for function in functions:
            code = function.__code__
            # as many free variables as before, or Python refuses it
            refusing = _refusing(name).__code__.replace(co_freevars=code.co_freevars)
            self._exchanged.append((function, "__code__", code, refusing))
        module_name, _, attribute = name.rpartition(".")
        module = sys.modules.get(module_name)
        if functions or name.startswith("torch."):
            return
        if getattr(module, attribute, None) is thing:
            self._exchanged.append((module, attribute, thing, _refusing(name)))

    def _watch_torch(self, watched: dict[str, str]) -> None:
        """Refuse torch's own functions when they are called, in threads and in hooks too."""
        import torch

        self._watched = watched
        for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
            self._exchanged.append((kind, "__call__", kind.__call__, _refusing(JIT)))
        # torch announces `backward`, and nothing that runs within what it has announced
        backward = torch.autograd, "_engine_run_backward"
        for owner, name in [*torch_calls.STARTS, backward]:
            original = getattr(owner, name)
            self._exchanged.append(
                (owner, name, original, torch_calls.under_watch(original, owner))
            )


def _things(names: Iterable[str]) -> list[tuple[str, Any]]:
    """The objects found for some names, each with its own."""
    named = [name for name in _found if any(_fits(name, pattern) for pattern in names)]
    return [(name, thing) for name in named for thing in _found[name].values()]


def _functions(thing: Any) -> list[FunctionType]:
    """The Python functions that do its work: itself, or the methods of a class."""
    found = [thing, inspect.unwrap(thing)]
    if isinstance(thing, type):
        found = [getattr(part, "__func__", part) for part in vars(thing).values()]
    return list(dict.fromkeys(one for one in found if isinstance(one, FunctionType)))


@lru_cache(maxsize=256)
def _refusing(name: str) -> FunctionType:
    """A function that raises."""
    scope: dict[str, Any] = {}
    lines = (  # a function of another module runs this code: it needs its own import
        "def refuse(*args, **kwargs):",
        f"    from {PolicyViolation.__module__} import PolicyViolation",
        f"    raise PolicyViolation({name!r})",
    )
    exec("\n".join(lines), scope)
    return scope["refuse"]


def _watched(names: Iterable[str]) -> dict[str, str]:
    """By the last part of a name that torch may announce, the name: of all but known classes.

    Torch announces no class, only the functions that it calls, and to watch every function costs
    many a test a fifth of its time. A name that is not known is watched.
    """
    watched = {}
    for pattern in names:
        things = _things([pattern])
        only_classes = things and all(isinstance(thing, type) for _, thing in things)
        if pattern.startswith("torch.") and not only_classes:
            watched[torch_calls.plain(pattern.rpartition(".")[2])] = pattern
    return watched

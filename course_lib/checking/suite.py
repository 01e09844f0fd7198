"""The tests of a suite file, for whoever calls them: the notebook's `check`, and the judge.

A file is plain Python that pytest could run too, but a test takes `student` and `rng` at most and
is called as it is: collecting and reporting cost pytest several times what the tests cost.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..seam.facade import Student
from .exercise import Mark, mark_of

OFFERED = ("student", "rng")

_read: dict[Path, tuple[tuple[int, int], list[Test]]] = {}  # the files' stamps and their tests


@dataclass(frozen=True)
class Test:
    """One test of a file: `id` is FILE::NAME, the same on every machine."""

    __test__ = False

    id: str
    mark: Mark
    wanted: tuple[str, ...]
    function: Callable[..., Any]

    def call(self, student: Student, rng: np.random.Generator) -> None:
        """Raises what the test raises."""
        offered = dict(zip(OFFERED, (student, rng), strict=True))
        self.function(**{name: offered[name] for name in self.wanted})


def read_tests(path: Path) -> list[Test]:
    """The tests of a file in its own order; a file is read again when it has changed.

    Raises RuntimeError when the file cannot be imported, or a test has no mark or wants more than
    it is offered.
    """
    status = path.stat()
    stamp = (status.st_mtime_ns, status.st_size)
    if path not in _read or _read[path][0] != stamp:
        found = vars(_module(path)).items()
        tests = [_test(path, name, thing) for name, thing in found if name.startswith("test_")]
        _read[path] = stamp, tests
    return _read[path][1]


def _module(path: Path) -> ModuleType:
    name = f"{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # the file is there, and Python's
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look it up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise RuntimeError(f"{path}: {type(error).__name__}: {error}") from error
    return module


def _test(path: Path, name: str, function: Callable[..., Any]) -> Test:
    mark = mark_of(function)
    if mark is None:
        raise RuntimeError(f"{path}: {name} has no @exercise mark")
    wanted = tuple(inspect.signature(function).parameters)
    if unknown := set(wanted) - set(OFFERED):
        raise RuntimeError(f"{path}: {name} wants {', '.join(unknown)}; there is no such thing")
    return Test(f"{path.name}::{name}", mark, wanted, function)

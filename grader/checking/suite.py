"""Reads the tests of a suite file, for the notebook's `check` and for the judge.

Pytest could run these files too, but its collecting and reporting take several times as long as
the tests. So a test takes at most `student` and `rng`, and is called directly.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..seam.facade import Student
from . import faults
from .exercise import ExerciseMark, mark_of

OFFERED = ("student", "rng", "handed_in")

_read: dict[Path, tuple[tuple[int, int], list[Test]]] = {}  # (mtime in ns, size), tests


@dataclass(frozen=True)
class Test:
    """One test of a file: `id` is FILE::NAME, the same on every machine."""

    __test__ = False

    id: str
    mark: ExerciseMark
    parameters: tuple[str, ...]
    function: Callable[..., Any]

    @property
    def file(self) -> Path:
        return Path(inspect.getfile(self.function))

    def call(
        self, student: Student, rng: np.random.Generator, handed_in: Mapping[str, bytes]
    ) -> None:
        """Raises what the test raises, as SuiteError if it is a mistake of its own.

        `handed_in` are the files beside the notebook, by name.
        """
        offered = dict(zip(OFFERED, (student, rng, handed_in), strict=True))
        try:
            self.function(**{name: offered[name] for name in self.parameters})
        except (NameError, ImportError) as error:
            raise faults.of_a_test(error, self.file) or error from None


def read_tests(path: Path) -> list[Test]:
    """The tests of a file, in file order; a file is read again when it has changed.

    Raises SuiteError if the file cannot be imported, or a test has no mark or a parameter that
    is not in `OFFERED`.
    """
    status = path.stat()
    stamp = (status.st_mtime_ns, status.st_size)
    if path not in _read or _read[path][0] != stamp:
        found = vars(_module(path)).items()
        tests = [_test(path, name, thing) for name, thing in found if name.startswith("test_")]
        _read[path] = stamp, tests
    return _read[path][1]


def proofread(path: Path) -> None:
    """Raises SuiteError for what no student can help: see `read_tests`; or a name bound nowhere."""
    names = {name for test in read_tests(path) for name in test.function.__globals__}
    faults.check_names(path, names)


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
        raise faults.in_reading(error, path) from error
    return module


def _test(path: Path, name: str, function: Callable[..., Any]) -> Test:
    mark = mark_of(function)
    line = function.__code__.co_firstlineno if inspect.isfunction(function) else 1
    if mark is None:
        raise faults.at(path, line, f"{name} has no @exercise mark")
    parameters = tuple(inspect.signature(function).parameters)
    if unknown := set(parameters) - set(OFFERED):
        what = f"{name} takes {', '.join(unknown)}; a test may take {', '.join(OFFERED)}"
        raise faults.at(path, line, what)
    return Test(f"{path.name}::{name}", mark, parameters, function)

"""Reads the tests of a suite file, for the notebook's `check` and for the judge.

Pytest could run these files too, but its collecting and reporting take several times as long as
the tests. So a test takes at most what is in `OFFERED` and fixtures of its file, and is called
directly.
"""

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..seam.facade import Student
from . import faults
from .exercise import ExerciseMark, is_fixture, mark_of

OFFERED = ("student", "rng", "handed_in", "its")  # a question calls the namespace `its`

_read: "dict[Path, tuple[tuple[int, int], list[Test]]]" = {}  # (mtime in ns, size), tests


@dataclass(frozen=True)
class Fixture:
    """A function of a suite's file that is called with some of what is offered.

    `id` is FILE::NAME, the same on every machine. The function may be another file's.
    """

    id: str
    file: Path
    parameters: tuple[str, ...]
    function: Callable[..., Any]

    def call(
        self,
        student: Student,
        rng: np.random.Generator,
        handed_in: Mapping[str, bytes],
        fixtures: Mapping[str, Any] | None = None,
    ) -> Any:
        """Raises what the function raises, as SuiteError if it is a mistake of its own.

        `handed_in` are the files beside the notebook, by name.
        """
        offered: dict[str, Any] = dict(
            zip(OFFERED, (student, rng, handed_in, student), strict=True)
        )
        offered |= fixtures or {}
        try:
            return self.function(**{name: offered[name] for name in self.parameters})
        except (NameError, ImportError) as error:
            raise faults.of_a_test(error, self.file) or error from None


@dataclass(frozen=True)
class Test(Fixture):
    """One test of a file, with the fixtures that it takes."""

    __test__ = False

    mark: ExerciseMark
    fixtures: Mapping[str, Fixture]

    @property
    def takes_files(self) -> bool:
        """Whether it looks at files next to the notebook."""
        return any("handed_in" in one.parameters for one in (self, *self.fixtures.values()))


def read_tests(path: Path) -> list[Test]:
    """The tests of a file, in file order; a file is read again when it has changed.

    Raises SuiteError if the file cannot be imported, or a test has no mark or a parameter that
    is not in `OFFERED`.
    """
    status = path.stat()
    stamp = (status.st_mtime_ns, status.st_size)
    if path not in _read or _read[path][0] != stamp:
        found = vars(module(path)).items()
        fixtures = {
            name: Fixture(
                f"{path.name}::{name}", path, _parameters(path, name, thing, OFFERED), thing
            )
            for name, thing in found
            if is_fixture(thing)
        }
        tests = [
            _test(path, name, thing, fixtures) for name, thing in found if name.startswith("test_")
        ]
        _read[path] = stamp, tests
    return _read[path][1]


def proofread(path: Path) -> None:
    """Raises SuiteError for what no student can help: see `read_tests`; or a name bound nowhere."""
    names = {name for test in read_tests(path) for name in test.function.__globals__}
    faults.check_names(path, names)


def module(path: Path) -> ModuleType:
    """The file as a module: of its text, since compiled files know its time by the second only."""
    name = f"{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # the file is there, and Python's
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look it up
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    except Exception as error:
        del sys.modules[name]
        raise faults.in_reading(error, path) from error
    return module


def _test(
    path: Path, name: str, function: Callable[..., Any], fixtures: Mapping[str, Fixture]
) -> Test:
    mark = mark_of(function)
    if mark is None:
        raise faults.at(path, _line(function), f"{name} has no @exercise mark")
    parameters = _parameters(path, name, function, (*OFFERED, *fixtures))
    taken = {name: fixtures[name] for name in parameters if name in fixtures}
    return Test(f"{path.name}::{name}", path, parameters, function, mark, taken)


def _parameters(
    path: Path, name: str, function: Callable[..., Any], offered: Sequence[str]
) -> tuple[str, ...]:
    parameters = tuple(inspect.signature(function).parameters)
    if unknown := set(parameters) - set(offered):
        what = f"{name} takes {', '.join(unknown)}; a test may take {', '.join(offered)}"
        raise faults.at(path, _line(function), what)
    return parameters


def _line(function: Callable[..., Any]) -> int:
    return function.__code__.co_firstlineno if inspect.isfunction(function) else 1

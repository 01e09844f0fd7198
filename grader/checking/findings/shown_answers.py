"""The right and wrong answers to visible tests, in a file beside them that `course build` writes.

So a check in a notebook knows what is right, and which named mistake answers as the student did,
and no program for either is handed out. Visible tests draw nothing at random that a release
or a version of NumPy could change.
"""

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..answer import Answer
from ..faults import SuiteError
from ..session import FAILED, PASSED, TestResult
from ..suite import Test
from . import causes
from .causes import Mistake, Told

Shown = dict[str, Any]


def path_of(tests: Path) -> Path:
    """The file of the answers to the visible tests of a file."""
    return tests.with_suffix(".json")


def right_answer(test: Test) -> Answer:
    """The right answer to a visible question. Raises SuiteError if there is none."""
    found = _read(path_of(test.file))["right"].get(test.id.rpartition("::")[2])
    if found is None:
        raise SuiteError(f"{test.file.name}: no answer to {test.id} beside it: run `course build`")
    return answer_of(found)


def causes_of(files: Collection[Path]) -> Any:
    """A function that names the mistakes behind failures of the visible tests of these files."""

    def named(results: list[TestResult]) -> list[TestResult]:
        found = dict[str, TestResult]()
        by_file = {path.name: path for path in files}
        asked = dict.fromkeys((result.file, result.mark.exercise) for result in results)
        for file, exercise in asked:
            own = [r for r in results if (r.file, r.mark.exercise) == (file, exercise)]
            known = _mistakes(by_file[file]) if file in by_file else []
            found.update({one.id: one for one in causes.named(own, known)})
        return [found[result.id] for result in results]

    return named


def _mistakes(tests: Path) -> list[Mistake]:
    def mistake(wrong: Shown) -> Mistake:
        def answers(ids: Collection[str]) -> Mapping[str, Told]:
            names = {test: test.rpartition("::")[2] for test in ids}
            return {
                test: Told(FAILED, answer_of(wrong["tests"][name]))
                if name in wrong["tests"]
                else Told(PASSED, None)
                for test, name in names.items()
            }

        return Mistake("", wrong["sentence"], answers)

    return [mistake(wrong) for wrong in _read(path_of(tests))["wrong"]]


def _read(path: Path) -> Shown:
    if not path.exists():
        return {"right": {}, "wrong": []}
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _parsed(path: Path, changed: int) -> Shown:
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def written(answer: Answer) -> Shown:
    """An answer as JSON."""
    if answer.raised:
        return {"raised": answer.raised}
    return {"values": {name: _written(value) for name, value in answer.values.items()}}


def answer_of(shown: Shown) -> Answer:
    """The answer that was written so."""
    if "raised" in shown:
        return Answer(raised=shown["raised"])
    return Answer({name: _value(value) for name, value in shown["values"].items()})


def _written(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        numbers = [float(f"{number:.7g}") for number in value.ravel()]
        whole = [int(n) if n.is_integer() else n for n in numbers]
        return {"array": whole, "shape": list(value.shape)}
    if isinstance(value, float):
        return value if value.is_integer() else float(f"{value:.7g}")  # large counts are exact
    if isinstance(value, dict):
        return {"dict": {name: _written(one) for name, one in value.items()}}
    if isinstance(value, list):
        return [_written(one) for one in value]
    return value


def _value(shown: Any) -> Any:
    if isinstance(shown, list):
        return [_value(one) for one in shown]
    if isinstance(shown, dict) and "array" in shown:
        return np.array(shown["array"], dtype=np.float64).reshape(shown["shape"])
    if isinstance(shown, dict):
        return {name: _value(one) for name, one in shown["dict"].items()}
    return shown

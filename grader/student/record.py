"""Keeps the last check of each exercise in a small JSON file in the tree, `.course/checks.json`.

An entry holds the fingerprint of the code that was checked, so that it is worth nothing once the
code has changed.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..checking.session import TestResult
from ..course.tree import root_of
from .tree import STATE
from .work import Work

FILE = "checks.json"


@dataclass
class Run:
    """The results of all tests of a notebook, in their order."""

    tests: list[TestResult] = field(default_factory=list)

    def of(self, exercise: str) -> list[TestResult]:
        """The result of each test of an exercise."""
        return [test for test in self.tests if test.mark.exercise == exercise]

    def passes(self, exercise: str) -> bool:
        found = self.of(exercise)
        return bool(found) and all(test.message is None for test in found)


def path() -> Path:
    return root_of(Path.cwd()) / STATE / FILE


def load() -> dict[str, Any]:
    """Entries by exercise, `{"code", "passed", "tests"}`; none if the file cannot be used."""
    try:
        found = json.loads(path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    entries = found.items() if isinstance(found, dict) else ()
    return {
        id: entry
        for id, entry in entries
        if isinstance(entry, dict)
        and isinstance(entry.get("code"), str)
        and all(isinstance(entry.get(key), int) for key in ("passed", "tests"))
    }


def keep(work: Work, run: Run) -> None:
    """Note what the tests found. Raises OSError."""
    entries = load()
    for exercise in work.assignment.exercises:
        tests = run.of(exercise.id)
        if tests:
            entries[exercise.id] = {
                "code": work.fingerprint(exercise),
                "passed": sum(test.message is None for test in tests),
                "tests": len(tests),
            }
    path().parent.mkdir(exist_ok=True)
    part = path().with_suffix(".part")
    part.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    os.replace(part, path())

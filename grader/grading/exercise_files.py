"""Which exercise a file of tests, or of a named mistake, is about."""

from __future__ import annotations

import re
from pathlib import Path

_TESTS_OF = re.compile(r"^(?:test|exercise)_(\d+)_(\d+)(?=[_.])")
_MARK = re.compile(r"@exercise\(\s*[\"']([\d.]+)[\"']")
_TEST_OF_BUG = re.compile(r"^test = \"([^\"]+)\"", re.M)


def owner_of(path: Path, text: str, assignment: str) -> str:
    """The exercise; "" for any other file, and for one with tests of several exercises.

    `path` is relative to the root of the course, `text` is what the file holds. A mistake is about
    the exercise of the test that finds it.
    """
    folder = path.parent.as_posix()
    if folder == f"autograder/bugs/{assignment}":
        named = _TEST_OF_BUG.findall(text)
        return _exercise(named[0]) if len(named) == 1 else ""
    if folder in (f"autograder/suites/{assignment}", f"assignments/{assignment}/public_tests"):
        id = _exercise(path.name)
        return id if {*_MARK.findall(text)} == {id} else ""
    return ""


def _exercise(name: str) -> str:
    """1.10 for `test_1_10_catch_a_bug.py`."""
    found = _TESTS_OF.match(name)
    return f"{found[1]}.{found[2]}" if found else ""

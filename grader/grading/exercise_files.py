"""Which exercise a file of tests, or of named mistakes, is about."""

from __future__ import annotations

import re
from pathlib import Path

from grader.course import mistakes

# the folder of an exercise's hidden side, or the file of its visible tests
_EXERCISE = re.compile(r"/exercise_(\d+)_(\d+)(?:/|\.py$)")
_MARK = re.compile(r"@exercise\(\s*[\"']([\d.]+)[\"']")


def owner_of(path: Path, text: str) -> str:
    """The exercise; "" for any other file, and for one with tests of several exercises.

    `path` is relative to the root of the course, `text` is what the file holds.
    """
    found = _EXERCISE.search(path.as_posix())
    id = f"{found[1]}.{found[2]}" if found else ""
    return id if path.name == mistakes.FILE or {*_MARK.findall(text)} == {id} else ""

"""Reads a file of the course, `course.toml` or `exam.toml`, in its validated form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from .exercise import Table
from .problem import Problem
from .toml_lines import line_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Form = TypeVar("Form", bound=Table)


class CourseError(Problem):
    """An error in a file of the course, with file and line."""

    exit_code = 2  # of a command that it ends


def read(path: Path, form: type[Form]) -> tuple[Form, str]:
    """A file in its form, and its text. Raises CourseError, one sentence with file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(
            f"{path}: cannot be read ({error.strerror}); run in a checkout of the course"
        ) from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path.name}: not valid TOML: {error}") from None
    try:
        return form.model_validate(data), text
    except ValidationError as error:
        found = error.errors()  # a misspelled key explains the missing one
        first = next((e for e in found if e["type"] == "extra_forbidden"), found[0])
        cause = first.get("ctx", {}).get("error")
        line = line_of(text, (*first["loc"], *getattr(cause, "at", ())))
        raise CourseError(f"{path.name}, line {line}: {sentence(first)}") from None


def sentence(error: Any) -> str:
    """What is wrong with one key, from an entry of pydantic's `ValidationError.errors()`."""
    key = str(error["loc"][-1]) if error["loc"] else "the file"
    if error["type"] == "extra_forbidden":
        return f"unknown key {key!r}: remove it or correct its spelling"
    if error["type"] == "missing":
        return f"the key {key!r} is missing: add it"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"{key} = {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"

"""The files of a course in TOML: where they are, what is in them, and on which line."""

import importlib.util
import re
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from . import toml
from .problem import Problem
from .table import Table
from .tree import FILE, root_of

EXAM_FILE = "exam.toml"
Places = dict[tuple[str | int, ...], Path]  # the file of a table, by where the table is
Form = TypeVar("Form", bound=Table)
_BLOCK = re.compile(r"(?:([\w-]+) = )?('''|\"\"\").*?\2", re.DOTALL)  # a text of several lines


class CourseError(Problem):
    """An error in a file of the course, with file and line."""

    exit_code = 2  # of a command that it ends


def text_of(path: Path) -> str:
    """The text of a file. Raises CourseError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")  # an editor may begin it with a mark
    except OSError as error:
        raise CourseError(
            f"{path}: cannot be read ({error.strerror}); run in a checkout of the course"
        ) from None
    except UnicodeDecodeError:
        raise CourseError(f"{shown(path)}: not UTF-8 text; save it in this encoding") from None


def data_of(path: Path) -> dict[str, Any]:
    """The contents of a file. Raises CourseError if it cannot be read, or is no TOML."""
    try:
        return toml.loads(text_of(path))
    except toml.TOMLDecodeError as error:
        raise CourseError(f"{shown(path)}: not valid TOML: {error}") from None


def checked(data: dict[str, Any], form: type[Form], files: Places) -> Form:
    """Data in its form. `files`: where each table of it was read; that of the rest is at ().

    Raises CourseError, one sentence with file and line.
    """
    try:
        return form.model_validate(data)
    except ValidationError as error:
        found = error.errors()  # a misspelled key explains the missing one
        first = next((e for e in found if e["type"] == "extra_forbidden"), found[0])
        cause = first.get("ctx", {}).get("error")
        at = (*first["loc"], *getattr(cause, "at", ()))
        place = max((place for place in files if place == at[: len(place)]), key=len)
        raise CourseError(
            f"{place_in(files[place], *at[len(place) :])}: {sentence(first)}"
        ) from None


def place_in(path: Path, *location: str | int) -> str:
    """A place in a file as people read it: "course.toml, line 12"."""
    return f"{shown(path)}, line {line_of(text_of(path), location)}"


def sentence(error: Any) -> str:
    """The problem with one key, from an entry of pydantic's `ValidationError.errors()`."""
    key = str(error["loc"][-1]) if error["loc"] else "the file"
    if error["type"] == "extra_forbidden":
        return f"unknown key {key!r}: remove it or correct its spelling"
    if error["type"] == "missing":
        return f"the key {key!r} is missing: add it"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"{key} = {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"


def imported(key: str, reference: str) -> Any:
    """The object "module:name" that a key of `course.toml` refers to. Raises CourseError."""
    module, _, attribute = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise CourseError(
            f"{FILE}: {key} = {reference!r} cannot be used ({error}): correct it"
        ) from error


def is_here(module: str) -> bool:
    """Whether a module can be imported: in a folder of students, that of a later week cannot."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it
        return False


def shown(path: Path) -> str:
    """A file as its course names it: relative to the course's root, or whole outside of one."""
    root = root_of(path.parent)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def line_of(text: str, location: tuple[str | int, ...]) -> int:
    """The line (from 1) of a key, or of the innermost table that contains it.

    `location` is a path such as ("assignments", 0, "exercises", 3, "points"); in a text, lines that
    begin with a name and a colon are keys.
    """
    text = _BLOCK.sub(_outline, text)
    counts: dict[str, int] = {}
    best, depth = 1, 0
    current: list[str | int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[(\[?)\s*([\w.]+)\s*\]?\]", line)
        if header:
            current = _table_path(header[2].split("."), bool(header[1]), counts)
            matched = current[: len(location)]
        else:
            key = re.match(r"\s*([\w.-]+)\s*=", line)
            matched = [*current, *key[1].split(".")] if key else []
        if len(matched) > depth and matched == list(location[: len(matched)]):
            best, depth = number, len(matched)
    return best


def _outline(block: re.Match[str]) -> str:
    """The lines of a text with nothing but its key, and the keys inside of it."""
    inner = [re.match(r"(\w+): ", line) for line in block[0].splitlines()[1:]]
    return "\n".join([f"{block[1]} =", *(f"{block[1]}.{key[1]} =" if key else "" for key in inner)])


def _table_path(names: list[str], is_array: bool, counts: dict[str, int]) -> list[str | int]:
    """The path with indices of a table header such as ["assignments", "exercises"].

    `counts` has the last index of each array of tables so far, and is updated.
    """
    path: list[str | int] = []
    for level, name in enumerate(names, start=1):
        key = ".".join(map(str, [*path, name]))
        if is_array and level == len(names):
            counts[key] = counts.get(key, -1) + 1
        path.append(name)
        if key in counts:
            path.append(counts[key])
    return path

"""The line number of a key in a TOML file, which `tomllib` and pydantic do not report."""

from __future__ import annotations

import re


def line_of(text: str, location: tuple[str | int, ...]) -> int:
    """The line (from 1) of a key, or of the innermost table that contains it.

    `location` is a path such as ("assignments", 0, "exercises", 3, "points").
    """
    counts: dict[str, int] = {}
    best, depth = 1, 0
    current: list[str | int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[(\[?)\s*([\w.]+)\s*\]?\]", line)
        if header:
            current = _table_path(header[2].split("."), bool(header[1]), counts)
            matched = current
        else:
            key = re.match(r"\s*([\w-]+)\s*=", line)
            matched = [*current, key[1]] if key else []
        if len(matched) > depth and matched == list(location[: len(matched)]):
            best, depth = number, len(matched)
    return best


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

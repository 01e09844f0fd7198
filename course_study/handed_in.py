"""Reads a handed-in file of trials strictly: anything may be in it, and a wrong file is a sentence.

It accepts what `database.rows.to_csv` writes, also after another program has written it again.
"""

import csv
import io
import json
import math
import re
from typing import Any

from .space import FACTORS

INTEGERS = ("n_heads", "n_layers", "warmup", "seed", "steps", "parameters")
FLOATS = tuple(
    "dropout label_smoothing quality validation_loss train_seconds tokens_per_second "
    "inferences_per_second peak_memory_mib".split()
)
TEXTS = ("schedule", "status", "design", "measure", "device", "reason")
NEEDED = (*INTEGERS, *FLOATS, *TEXTS, "curve")
MEASURED = ("steps", "quality", "validation_loss", "curve", "device")  # of every complete trial
# Far more than any study of the course has.
MAX_BYTES, MAX_TRIALS, MAX_COLUMNS = 2**20, 1000, 100
MAX_NUMBER, MAX_TEXT, MAX_CURVE = 40, 1000, 20_000  # characters
MAX_EVALUATIONS = 200
LARGEST = 1e12
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


class BadFile(ValueError):
    """A problem with the file, in one sentence."""


def read_trials(data: bytes) -> list[dict[str, Any]]:
    """One row per trial, empty cells left out, a curve as a list. Raises BadFile."""
    header, lines = _cells(data)
    trials, seen = [], set()
    for number, cells in lines:
        if len(cells) != len(header):
            raise BadFile(f"line {number} has {len(cells)} cells, and the header {len(header)}")
        trial = {
            name: _value(name, cell, number)
            for name, cell in zip(header, cells, strict=True)
            if cell != "" and name in NEEDED
        }
        wanted = [*FACTORS, "seed", "status"]
        wanted += MEASURED if trial.get("status") == "complete" else []
        if missing := [name for name in wanted if name not in trial]:
            raise BadFile(f"line {number} has no {', '.join(missing)}")
        which = (*(trial[factor] for factor in FACTORS), trial["seed"])
        if which in seen:
            raise BadFile(f"line {number} is a trial that the file has already: {which}")
        seen.add(which)
        trials.append(trial)
    if not trials:
        raise BadFile("there is no trial in it, only a header")
    return trials


def _cells(data: bytes) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and every other line that is not blank with its number."""
    if len(data) > MAX_BYTES:
        raise BadFile(f"it has {len(data):,} bytes; a study of this course has less than a MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile("it is not text in UTF-8: hand in the file of `course study rows`") from None
    if "\0" in text:
        raise BadFile("it has NUL bytes: hand in the file of `course study rows`")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines = []
    try:
        header = next(reader, [])
        if len(header) > MAX_COLUMNS:
            raise BadFile(f"it has {len(header)} columns, {MAX_COLUMNS} at most can be read")
        if missing := [name for name in NEEDED if name not in header]:
            found = ", ".join(missing[:5]) + (" and more" if len(missing) > 5 else "")
            raise BadFile(f"its first line lacks the columns {found}")
        if len(set(header)) < len(header):
            raise BadFile("a column is there twice")
        for cells in reader:
            if cells:
                lines.append((reader.line_num, cells))
            if len(lines) > MAX_TRIALS:
                raise BadFile(f"it has more than {MAX_TRIALS:,} trials")
    except csv.Error as error:
        raise BadFile(f"line {reader.line_num} is not CSV: {error}") from None
    return header, lines


def _value(name: str, cell: str, line: int) -> Any:
    where = f"line {line}, {name}"
    if name == "curve":
        return _curve(cell, where)
    if name in TEXTS:
        if len(cell) > MAX_TEXT:
            raise BadFile(f"{where}: {len(cell):,} characters, {MAX_TEXT:,} at most")
        return cell
    if len(cell) > MAX_NUMBER or not NUMBER.fullmatch(cell):
        raise BadFile(f"{where}: {cell[:MAX_NUMBER]!r} is not a number")
    value = _bounded(float(cell), where)
    if name not in INTEGERS:
        return value
    if value < 0 or value != int(value):
        raise BadFile(f"{where}: {cell} is not a whole number from 0 on")
    return int(value)


def _bounded(value: Any, where: str) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not abs(value) < LARGEST:  # NaN is not less either
        shown = f"{value:.3g}" if isinstance(value, float) else f"a {type(value).__name__}"
        raise BadFile(f"{where}: {shown} is no measured number")
    return float(value)


def _curve(cell: str, where: str) -> list[dict[str, Any]]:
    """The evaluations: step, quality and loss of each, with steps that rise."""
    if len(cell) > MAX_CURVE:
        raise BadFile(f"{where}: {len(cell):,} characters, {MAX_CURVE:,} at most")
    try:
        found = json.loads(cell, parse_constant=lambda _: math.nan)
    except (ValueError, RecursionError):
        raise BadFile(f"{where}: it is not JSON") from None
    if not isinstance(found, list) or not 1 <= len(found) <= MAX_EVALUATIONS:
        raise BadFile(f"{where}: it is not a list of 1 to {MAX_EVALUATIONS} evaluations")
    curve: list[dict[str, Any]] = []
    for entry in found:
        keys = ("step", "quality", "loss")
        if not isinstance(entry, dict) or not set(keys) <= set(entry):
            raise BadFile(f"{where}: an evaluation has no {', '.join(keys)}")
        values = {key: _bounded(entry[key], where) for key in keys}
        if curve and values["step"] <= curve[-1]["step"]:
            raise BadFile(f"{where}: its steps do not rise")
        curve.append(values)
    return curve

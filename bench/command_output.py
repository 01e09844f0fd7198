"""What the commands of `course bench` share: their lists of numbers, and what they print."""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any

from grader.cli.problems import UsageProblem


def numbers(text: str, option: str = "--seeds", least: int = 0) -> list[int]:
    """The numbers of an option. Raises UsageProblem."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise UsageProblem(
            f"{option} {text}: give numbers from {least} on, separated by commas, such as 2,5,9"
        )
    return [int(part) for part in parts]


def log(text: str) -> None:
    print(text, file=sys.stderr)


def show(measures: dict[str, Any], files: str, as_json: bool) -> None:
    """Print what was measured, and where it is written."""
    if as_json:
        print(json.dumps(measures))
        return
    for name, measure in measures.items():
        print(f"{name:40} {statistics.median(measure['values']):9.3f}  median, {measure['unit']}")
    print(f"written to {files}")

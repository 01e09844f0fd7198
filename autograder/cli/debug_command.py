"""`course debug`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from course_lib.course import syllabus
from course_lib.diagnosis.checklist import Check
from course_lib.seam import StudentError

from ..grading import debugging
from . import EXIT_FOUND, EXIT_OK
from .problems import UsageProblem


def run(notebook: Path | None, as_json: bool) -> int:
    """Print the checklist of a notebook's classifier, or which check finds which known fault."""
    if notebook is None:
        return _known_faults(as_json)
    try:
        data = notebook.read_bytes()
    except OSError as error:
        raise UsageProblem(f"{notebook}: cannot be read ({error.strerror})") from None
    try:
        found = debugging.of_notebook(data, syllabus.load())
    except StudentError as error:
        where = f", {error.where}" if error.where else ""
        raise UsageProblem(
            f"{notebook}: the classifier cannot be run ({error.kind}: {error.message}{where}); "
            "write exercises 3.1 to 3.7 first, or fix this error"
        ) from None
    if as_json:
        print(json.dumps([asdict(check) for check in found]))
    else:
        print(*found, sep="\n")
    return EXIT_FOUND if any(check.ok is False for check in found) else EXIT_OK


def _known_faults(as_json: bool) -> int:
    table = debugging.of_known_faults()
    if as_json:
        print(json.dumps({fault: [asdict(c) for c in checks] for fault, checks in table.items()}))
        return EXIT_OK
    print("What the checklist finds in models with one known fault each:\n")
    for fault, checks in table.items():
        print(f"{fault:<24} {_wrong(checks) or 'nothing is wrong'}")
    print("\nGive a notebook of assignment 3 to check your own classifier.")
    return EXIT_OK


def _wrong(checks: list[Check]) -> str:
    return ", ".join(check.name for check in checks if check.ok is False)

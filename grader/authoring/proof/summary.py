"""Summarizes what was proven, as a table and as `results/proof.json`."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from grader.authoring import results_file
from grader.course.course import Course
from grader.course.course_file import shown
from grader.course.record.files import FILE

from .prove import EVERY_SEED, Outcome

Row = tuple[str, str]  # assignment, what
Counts = tuple[int, int]  # held, of


def rows(outcomes: Iterable[Outcome]) -> dict[Row, Counts]:
    """Count how many claims of each kind hold."""
    found: dict[Row, Counts] = {}
    for outcome in outcomes:
        count(found, outcome.assignment, f"{outcome.claim} ({outcome.backend})", not outcome.wrong)
    return found


def count(found: dict[Row, Counts], assignment: str, what: str, holds: bool) -> None:
    """Add a claim to the counts."""
    held, total = found.get((assignment, what), (0, 0))
    found[assignment, what] = held + holds, total + 1


def lines(found: Mapping[Row, Counts]) -> list[str]:
    """The table of the counts, as lines."""
    return [
        f"{id:4} {what:<50} {held:>5} of {total}"
        for (id, what), (held, total) in sorted(found.items())
    ]


def write(outcomes: list[Outcome], command: str, seconds: float) -> Path:
    """Write `proof.json`: how many claims of each kind hold (a value per seed), and failures."""
    measures: dict[str, Any] = {}
    for id, what in rows(outcomes):
        mine = [o for o in outcomes if (o.assignment, f"{o.claim} ({o.backend})") == (id, what)]
        seeds = sorted({o.seed for o in mine})
        held = [float(sum(not o.wrong for o in mine if o.seed == seed)) for seed in seeds]
        measure = results_file.measure(f"of {len(mine) // len(seeds)}", held)
        measures[f"{id} {what}"] = measure | (
            {"seeds": seeds} if what.startswith(EVERY_SEED) else {}
        )
    measures["seconds"] = results_file.measure("s of wall clock", [seconds])
    spent = sum(outcome.cpu_seconds for outcome in outcomes)
    measures["cpu_seconds"] = results_file.measure("s of the judges' processors", [spent])
    data = {
        "name": "references, starters, correct variants and named bugs of all assignments",
        "source": "named mistakes and variants of all assignments",
        "sha256": digest(proven_by(Course.here())),
    }
    failures = [str(outcome) for outcome in outcomes if outcome.wrong]
    return results_file.write("proof", command, measures, data, {"failures": failures})


def proven_by(course: Course) -> list[Path]:
    """The files of named mistakes, of variants and of right forms."""
    kinds = (f"*/{FILE}", "variants/*.py", "reference.py")
    return [path for a in course.graded for kind in kinds for path in sorted(a.hidden.glob(kind))]


def digest(paths: Iterable[Path]) -> str:
    """Hash of these files of the repository, with their names."""
    hashed = hashlib.sha256()
    for path in paths:
        hashed.update(shown(path).encode() + path.read_bytes())
    return hashed.hexdigest()

"""`course why`: how one student's grade of an assignment comes about, down to the test."""

from __future__ import annotations

import json
from pathlib import Path

from course_lib.course import syllabus

from ..report import account
from . import EXIT_OK, results, stores
from .problems import UsageProblem


def run(
    student: str,
    assignment: str,
    exercise: str | None,
    out: Path,
    url: str | None,
    as_json: bool,
) -> int:
    """Print the sum, then the exercises: those that lost points in full, or the one asked for."""
    course = syllabus.load()
    with stores.existing(out, url) as store:
        id = stores.known_assignment(assignment, course)
        found = {(r.student, r.assignment): r for r in results.counted_results(store, course)}
        if (student, id) not in found:
            raise UsageProblem(stores.nothing_for(store, student, id))
        result = found[student, id]
    known = [entry.id for entry in result.exercises]
    if exercise is not None and exercise not in known:
        ids = ", ".join(known)
        raise UsageProblem(f"{assignment} has no exercise {exercise!r}; there are {ids}")
    chosen = None if exercise is None else [exercise]
    whose = course.assignment(assignment)
    if as_json:
        print(json.dumps(account.account(result, whose, chosen), ensure_ascii=False))
    else:
        print(account.text(result, whose, chosen))
    return EXIT_OK

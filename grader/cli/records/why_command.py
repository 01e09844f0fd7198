"""`course why`: how one student's grade of an assignment comes about, down to the test."""

from __future__ import annotations

import json
from pathlib import Path

from grader.course.course import Course

from ...report import account
from .. import EXIT_OK, lookup
from ..problems import UsageProblem
from . import results, stores


def run(
    student: str,
    assignment: str,
    exercise: str | None,
    out: Path,
    url: str | None,
    as_json: bool,
) -> int:
    """Print the sum, then the exercises: those that lost points in full, or the one asked for."""
    course = Course.here()
    with stores.existing(out, url) as store:
        whose = lookup.assignment(course, assignment)
        found = {(r.student, r.assignment): r for r in results.counted_results(store, course)}
        if (student, whose.id) not in found:
            raise UsageProblem(stores.nothing_for(store, student, whose.id))
        result = found[student, whose.id]
    known = [entry.id for entry in result.exercises]
    if exercise is not None and exercise not in known:
        ids = ", ".join(known)
        raise UsageProblem(f"{assignment} has no exercise {exercise!r}; there are {ids}")
    only = None if exercise is None else [exercise]
    if as_json:
        print(json.dumps(account.account(result, whose, only), ensure_ascii=False))
    else:
        print(account.text(result, whose, only))
    return EXIT_OK

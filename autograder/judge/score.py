"""From test results to points, hints and a submission's outcome."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from course_lib.checking.messages import Message, without_echoes
from course_lib.course.exercise import Exercise
from course_lib.course.syllabus import Assignment
from course_lib.seam import errors as kinds

from .. import bugs
from .models import thresholds
from .session import PASSED, TestResult

# What a whole submission is called when one of its tests ended so, the worst first.
SEVERITY = (kinds.CRASHED, kinds.OOM, kinds.TIMEOUT, kinds.LOAD_ERROR, kinds.POLICY)


def exercises(
    assignment: Assignment,
    tests: list[TestResult],
    passed_with: dict[str, list[str]],
    written: Collection[str],
    only: Collection[str] | None = None,
) -> list[dict[str, Any]]:
    """One entry an exercise. `passed_with`: tests that pass once these exercises are replaced.

    `written` are the names that are there and no stubs.
    """
    known = bugs.load(assignment.id)
    return [
        _exercise(e, [t for t in tests if t.mark.exercise == e.id], passed_with, written, known)
        for e in assignment.exercises
        if only is None or e.id in only
    ]


def nothing(assignment: Assignment) -> list[dict[str, Any]]:
    """The entries of a submission that could not be read."""
    return exercises(assignment, [], {}, [])


def unknown(assignment: Assignment) -> list[dict[str, Any]]:
    """The entries of a submission that could not be graded: no points, and not zero points."""
    return [entry | {"points": None, "status": "pending"} for entry in nothing(assignment)]


def models(assignment: Assignment, entries: list[dict[str, Any]], told: dict[str, Any]) -> None:
    """Give the exercises that train a model their points, linear in percent right or BLEU."""
    for entry in entries:
        if entry["kind"] != "model":
            continue
        exercise = assignment.exercise(entry["id"])
        reached = told[told.get("measure", "accuracy")]
        full = round(thresholds.full_at(exercise, told["examples"]), 2)
        share = 0.0
        if reached is not None:
            share = thresholds.share(exercise, reached, told["examples"])
        status = "full" if share == 1 else "partial" if share else "zero"
        entry["points"] = round(share * exercise.points, 2)
        entry["status"] = status if told["handed_in"] else "not written"
        entry["model"] = told | {"zero_at": exercise.zero_at, "full_at": full}


def _exercise(
    exercise: Exercise,
    tests: list[TestResult],
    passed_with: dict[str, list[str]],
    written: Collection[str],
    known: list[bugs.Bug],
) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": exercise.id,
        "title": exercise.title,
        "kind": exercise.kind,
        "bonus": exercise.bonus,
        "section": exercise.section,
        "max_points": exercise.points,
    }
    if exercise.kind == "model":  # until `models` has seen one
        return entry | {"points": None, "status": "pending", "model": None}
    if exercise.kind == "written":
        return entry | {
            "points": None,
            "status": "pending",
            "parts": [
                {
                    "id": f"{exercise.id}.{part.id}",
                    "title": part.title,
                    "max_points": part.points,
                    "points": None,
                    "comment": "",
                    "answer": "",
                    "words": 0,
                    "word_limit": part.words,
                }
                for part in exercise.parts
            ],
        }
    weight = sum(test.mark.weight for test in tests)
    shares = [exercise.points * test.mark.weight / weight for test in tests]
    messages = without_echoes([test.message for test in tests])
    tests = [replace(test, message=m) for test, m in zip(tests, messages, strict=True)]
    told = [
        _test(test, share, passed_with.get(test.id, []), known)
        for test, share in zip(tests, shares, strict=True)
    ]
    points = round(sum(s for t, s in zip(told, shares, strict=True) if t["points"]), 2)
    absent = not set(exercise.names) & set(written)
    caused_by = list(dict.fromkeys(id for test in told for id in test["caused_by"]))
    status = "not written" if absent else "partial" if points else "zero"
    return entry | {
        "points": points,
        "status": "full" if told and points >= exercise.points - 0.005 else status,
        "written": not absent,
        "caused_by": caused_by,
        "carried_through": any(test["carried_through"] for test in told),
        "tests": told,
    }


def _test(
    test: TestResult, share: float, replaced: list[str], known: list[bugs.Bug]
) -> dict[str, Any]:
    passed = test.outcome == PASSED or bool(replaced)
    bug = _matching(test, known) if not passed else None
    return {
        "id": test.id,
        "title": test.mark.title,
        "public": test.public,
        "max_points": round(share, 2),
        "points": round(share, 2) if passed else 0.0,
        "outcome": test.outcome,
        "message": _parts(test.message),
        "bug": bug.name if bug else None,
        "bug_title": bug.title if bug else "",
        "caused_by": replaced,
        "carried_through": bool(replaced),
    }


def _parts(message: Message | None) -> dict[str, Any] | None:
    """What the report shows of a message."""
    if message is None:
        return None
    return {name: getattr(message, name) for name in ("expected", "got", "cause", "read", "seen")}


def _matching(test: TestResult, known: list[bugs.Bug]) -> bugs.Bug | None:
    """The named bug that this test has found by evidence; advice names none."""
    if test.message is None or not test.message.seen:
        return None
    cause = test.message.cause
    return next((b for b in known if b.test == test.id and b.hint and b.hint in cause), None)


def outcome(tests: list[TestResult]) -> tuple[str, str]:
    """The submission's outcome and, if it is not GRADED, what happened."""
    for kind in SEVERITY:
        hit = [test for test in tests if test.outcome == kind]
        if hit:
            where = ", ".join(dict.fromkeys(test.mark.exercise for test in hit))
            message = hit[0].message.got if hit[0].message else ""
            return kind, f"in exercise {where}: {message}"
    return "GRADED", ""

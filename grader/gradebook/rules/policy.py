"""The course's rules that decide a grade beside the answers: due dates, late work, weights.

They are read from course.toml when grades are written (`course grade`, `course report`), and stored
with the date. Every command counts by the stored rules, so that a change of course.toml moves
nobody before it was previewed and applied.
"""

import datetime
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection

from grader.course.course import Course
from grader.course.course_facts import LatePolicy

from ..database.schema import policies as table
from ..lateness import moment, written

Policy = Mapping[str, Any]
_OF_AN_ASSIGNMENT = {
    "due": "due {}",
    "late_penalty_percent": "a late day costs {:g} %",
    "late_days": "{} late days are allowed",
    "weight_percent": "it counts {:g} %",
}
_OF_ALL = {
    "grace_minutes": "the grace period is {} minutes",
    "slip_days": "there are {} slip days",
}


class Change(NamedTuple):
    """One rule that differs, in words; `assignment` is "" if it is about all of them."""

    assignment: str
    sentence: str
    at: str = ""  # when it was stored (an ISO time)


def of(course: Course) -> Policy:
    """The rules of a course, as they are stored."""
    assignments = {
        a.id: {
            "due": a.due.isoformat(),
            "late_days": a.late_days,
            "late_penalty_percent": a.late_penalty_percent,
            "weight_percent": a.weight_percent,
        }
        for a in course.graded
    }
    late, grading = course.late.model_dump(), course.grading.model_dump(mode="json")
    return {"assignments": assignments, "late": late, "grading": grading}


def under(course: Course, policy: Policy | None) -> Course:
    """The course with stored rules; an assignment that they do not know has its own."""
    if policy is None or policy == of(course):
        return course

    def ruled(assignment: Any) -> Any:
        rules = policy["assignments"].get(assignment.id)
        if rules is None:
            return assignment
        return assignment.model_copy(update={**rules, "due": moment(rules["due"])})

    changed = {
        "assignments": [ruled(assignment) for assignment in course.assignments],
        "exam": course.exam and ruled(course.exam),
        "late": type(course.late).model_validate(policy["late"]),
        "grading": type(course.grading).model_validate(policy["grading"]),
    }
    copy = course.model_copy(update=changed)
    vars(copy).pop("weights", None)  # computed for the rules of before
    return copy


def changes(before: Policy, now: Policy, zone: datetime.tzinfo, at: str = "") -> list[Change]:
    """The differences between two sets of rules, in words, with times in `zone`."""
    found = []
    for id, rules in now["assignments"].items():
        old = before["assignments"].get(id, rules)
        for key, words in _OF_AN_ASSIGNMENT.items():
            if old[key] != rules[key]:
                said, was = (_said(key, words, value[key], zone) for value in (rules, old))
                found.append(Change(id, f"{id}: {said}, before: {was}", at))
    late_before, late_now = (LatePolicy().model_dump() | rules["late"] for rules in (before, now))
    for key, words in _OF_ALL.items():
        if late_before[key] != late_now[key]:
            said, was = (words.format(late[key]) for late in (late_now, late_before))
            found.append(Change("", f"{said}, before: {was}", at))
    if before["grading"] != now["grading"]:
        found.append(Change("", "[grading] in course.toml has other components or groups", at))
    return found


def _said(key: str, words: str, value: Any, zone: datetime.tzinfo) -> str:
    return words.format(written(moment(value), zone) if key == "due" else value)


def keep(connection: Connection, course: Course) -> list[Change]:
    """Store the rules of the course if they are others than before; returns what differs."""
    now, at = of(course), datetime.datetime.now(datetime.timezone.utc)
    before = newest(connection)
    if before == now:
        return []
    row = {"policy": json.dumps(now), "kept_at": at.isoformat(timespec="milliseconds")}
    connection.execute(table.insert(), [row])
    return changes(before, now, course.facts.zone) if before else []


def history(connection: Connection, assignment: str, zone: datetime.tzinfo) -> list[Change]:
    """Every change of the rules that concerns an assignment, oldest first."""
    kept = _every(connection)
    return [
        change
        for (before, _), (now, at) in zip(kept, kept[1:], strict=False)
        for change in changes(before, now, zone, at)
        if change.assignment in ("", assignment)
    ]


def _every(connection: Connection) -> list[tuple[Policy, str]]:
    rows = connection.execute(table.select().order_by(table.c.id))
    return [(json.loads(row.policy), row.kept_at) for row in rows]


def newest(connection: Connection) -> Policy | None:
    """The rules in force; None in a store that has none yet."""
    kept = _every(connection)
    return kept[-1][0] if kept else None

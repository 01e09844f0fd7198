"""The named mistakes of assignments, and what students may read of them."""

from __future__ import annotations

import json
from pathlib import Path

from . import course_file
from .assignment import Assignment
from .course import Course
from .record.mistake import Bug, BugError

__all__ = ["Bug", "BugError", "load", "named", "sentences", "sentences_alone"]


def load(assignment: Assignment) -> list[Bug]:
    """All named mistakes of an assignment, by id."""
    found = (bug for exercise in assignment.exercises for bug in exercise.mistakes.values())
    return sorted(found, key=lambda bug: bug.name)


def named(course: Course, reference: str) -> Bug:
    """The mistake "a2/layer_norm_unbiased". Raises BugError if there is none."""
    id, _, name = reference.partition("/")
    assignments = [assignment for assignment in course.graded if assignment.id == id]
    found = next((bug for a in assignments for bug in load(a) if bug.name == name), None)
    if found is None:
        raise BugError(f"there is no named bug {reference}")
    return found


def sentences(path: Path) -> dict[str, str]:
    """The sentence of each mistake of a record, by id. Raises CourseError if it is no TOML."""
    tables = course_file.data_of(path).get("mistakes", {})
    return {id: keys.get("sentence", "") for id, keys in tables.items()}


def sentences_alone(path: Path) -> str:
    """The text of a file that has the sentences of another, and nothing of the mistakes."""
    lines = (
        f"mistakes.{id}.sentence = {json.dumps(text, ensure_ascii=False)}\n"
        for id, text in sentences(path).items()
    )
    return "".join(lines)

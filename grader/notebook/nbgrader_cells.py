"""nbgrader's cells: their metadata, and the names (`grade_id`) by which the grader finds them."""

from typing import Any


def component(assignment: str, name: str) -> str:
    """The cell in which a student writes a function or class."""
    return f"{assignment}-{name}"


def check(exercise: str) -> str:
    """The locked cell with the points of a code exercise ("1.4")."""
    return f"check-{exercise.replace('.', '-')}"


def written(part: str) -> str:
    """The answer to a written part ("1.11.a")."""
    return f"written-{part.replace('.', '-')}"


def model(exercise: str) -> str:
    """The locked text with the points of a trained model ("3.10"); nbgrader's kind is a task."""
    return f"model-{exercise.replace('.', '-')}"


def metadata(
    grade_id: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    task: bool = False,
    points: float | None = None,
) -> dict[str, Any]:
    """Schema 3. A graded solution is marked manually, as is a task: a locked text with points."""
    meta = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": task,
    }
    return meta if points is None else {**meta, "points": points}

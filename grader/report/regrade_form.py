"""The form on a student's feedback page that makes a regrade request: see `regrade_file`."""

from typing import Any

from grader.course.assignment import Assignment

from ..classroom import regrade_file
from ..course.visible import visible
from ..gradebook import answers
from ..gradebook.result import Result
from ..gradebook.totals import WITHOUT_POINTS


def form(result: Result, assignment: Assignment) -> dict[str, Any] | None:
    """The items to ask about, each with the file's first lines; None if nothing has points."""
    if result.outcome in WITHOUT_POINTS or result.totals.excused:
        return None
    items = [
        {
            "title": f"{item.id} {item.title}",
            "file": f"regrade-{assignment.id}-{item.id}.txt",
            "head": visible(
                regrade_file.head(
                    result.student,
                    assignment.id,
                    item.id,
                    answers.beginning(answers.sha256_of(result, item.id) or ""),
                )
            ),
        }
        for item in result.items
        if item.points is not None
    ]
    return {"items": items, "most": regrade_file.MAX_REASON} if items else None

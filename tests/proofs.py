"""Helpers shared with `course prove`: known submissions, and grading one."""

import json
from pathlib import Path

from grader.authoring.proof.cases import notebook
from grader.course.course import Course
from grader.gradebook.result import Result
from grader.judge.grade import grade
from grader.judge.suite_run import Submitted
from grader.judge.workers.local import local_worker

__all__ = ["COURSE", "code_of_tree", "graded", "local_worker", "notebook", "with_cells"]

COURSE = Course.here()


def graded(data: bytes, id: str, open_worker=local_worker, only=None, asked=None) -> Result:
    """Grade any notebook."""
    return grade(
        Submitted(COURSE.assignment(id), data, only=only), COURSE, open_worker, asked=asked
    )


def with_cells(data: bytes, *sources: str) -> bytes:
    """A notebook with more code cells at its end."""
    document = json.loads(data)
    for number, source in enumerate(sources):
        cell = {"cell_type": "code", "id": f"x{number}", "metadata": {}, "source": source}
        document["cells"].append(cell | {"outputs": [], "execution_count": None})
    return json.dumps(document).encode()


def code_of_tree(folder: Path) -> list[tuple[str, str]]:
    """Every Python file below a folder."""
    files = sorted(folder.rglob("*.py"))
    return [(str(f.relative_to(folder)), f.read_text(encoding="utf-8")) for f in files]

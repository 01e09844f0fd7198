"""Finds what runs in this kernel and will not run in the grader: packages that it does not have."""

import re
from collections.abc import Sequence
from typing import Any

from ...course.assignment import Assignment
from ...course.course import Course
from ...notebook.collect import collect
from ...notebook.foreign_imports import foreign_imports
from ...notebook.notebook_file import Cell


def sentences(assignment: Assignment, names: Sequence[str], namespace: dict[str, Any]) -> list[str]:
    """One sentence for each import that `names` need, by the number beside the cell that ran."""
    run = [text if isinstance(text, str) else "" for text in namespace.get("In", [])]
    cells = [Cell(number, "code", text) for number, text in enumerate(run)]
    found = foreign_imports(Course.here(), assignment, collect(cells, names), names)
    return [re.sub(r"^cell (\d+)", r"cell [\1]", why) for why in dict.fromkeys(found.values())]

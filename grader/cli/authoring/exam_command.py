"""`course exam`: the files of the exam room, or the model answers."""

from __future__ import annotations

import json
from pathlib import Path

from grader.course.course import Course

from ...authoring import coding_exam
from .. import EXIT_OK


def run(to: Path, answers: bool, as_json: bool) -> int:
    """Write the exam, or its model answers. Raises BuildError and BugError."""
    write = coding_exam.write_answers if answers else coding_exam.write
    notebook = write(Course.here(), to)
    if as_json:
        print(json.dumps({"notebook": str(notebook)}))
    elif answers:
        print(f"{notebook}: the model answers; keep them to yourself")
    else:
        print(f"{notebook}; hand out all of {to}, collect exam.ipynb, and grade it: course grade")
    return EXIT_OK

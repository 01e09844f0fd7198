"""`course exam`: the files of the exam room, or the model answers."""

from __future__ import annotations

import json

from grader.course.course import Course

from ...authoring import coding_exam
from .. import EXIT_OK
from .authoring_options import Exam


def run(options: Exam) -> int:
    """Write the exam, or its model answers. Raises BuildError and BugError."""
    to = options.to
    write = coding_exam.write_answers if options.answers else coding_exam.write
    notebook = write(Course.here(), to)
    if options.json:
        print(json.dumps({"notebook": str(notebook)}))
    elif options.answers:
        print(f"{notebook}: the model answers; keep them to yourself")
    else:
        print(
            f"{notebook}; hand out all of {options.to}, collect exam.ipynb, grade it: course grade"
        )
    return EXIT_OK

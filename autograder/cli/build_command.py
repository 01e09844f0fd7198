"""`course build`."""

from __future__ import annotations

import json
import sys

from course_lib.course import syllabus

from ..release import course_build
from . import EXIT_FOUND, EXIT_OK
from .problems import UsageProblem


def run(assignments: list[str], check: bool, as_json: bool) -> int:
    course = syllabus.load()
    for id in assignments:
        try:
            course.assignment(id)
        except KeyError as error:
            raise UsageProblem(error.args[0]) from None
    if check:
        drifted = course_build.drifted(course, assignments)
        if as_json:
            print(json.dumps({"drifted": drifted}))
        for line in drifted if not as_json else []:
            print(f"{line}: run `course build`", file=sys.stderr)
        if not drifted and not as_json:
            print("every built file is up to date")
        return EXIT_FOUND if drifted else EXIT_OK
    written = course_build.write(course, assignments, log=lambda text: print(text, file=sys.stderr))
    if as_json:
        print(json.dumps({"written": written}))
    else:
        print("\n".join(f"wrote {name}" for name in written) or "every built file is up to date")
    return EXIT_OK

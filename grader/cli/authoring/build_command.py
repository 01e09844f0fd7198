"""`course build`."""

import json
import sys
from pathlib import Path

from grader.course.course import Course

from ...authoring import course_build
from ...authoring import nbgrader_folder as course_folder
from .. import EXIT_FOUND, EXIT_OK, lookup
from ..output import UsageProblem
from .authoring_options import Build


def run(options: Build) -> int:
    """Write what has changed, or with --check only name it: then exit 1."""
    course, assignments = Course.here(), options.assignments or []
    for id in assignments:
        lookup.notebook(course, id)
    if options.nbgrader is not None:
        for id in assignments:
            lookup.assignment(course, id)  # no lab
        return _for_nbgrader(course, options.nbgrader, assignments, options)
    if options.check:
        drifted = course_build.drifted(course, assignments)
        if options.json:
            print(json.dumps({"drifted": drifted}))
        for line in drifted if not options.json else []:
            print(f"{line}: run `course build`", file=sys.stderr)
        if not drifted and not options.json:
            print("every built file is up to date")
        return EXIT_FOUND if drifted else EXIT_OK
    written = course_build.write(course, assignments, log=lambda text: print(text, file=sys.stderr))
    return _print_written(written, options.json)


def _for_nbgrader(course: Course, folder: Path, assignments: list[str], options: Build) -> int:
    if options.check:
        raise UsageProblem("--nbgrader writes a folder and --check writes nothing: give one")
    if folder.exists() and not folder.is_dir():
        raise UsageProblem(f"{folder}: is a file; give a folder for the nbgrader course")
    written = course_folder.write(course, folder, assignments)
    return _print_written([str(path) for path in written], options.json)


def _print_written(written: list[str], as_json: bool) -> int:
    if as_json:
        print(json.dumps({"written": written}))
    else:
        print("\n".join(f"wrote {name}" for name in written) or "every built file is up to date")
    return EXIT_OK

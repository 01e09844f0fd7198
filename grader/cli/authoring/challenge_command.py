"""`course challenge`: a notebook to repair in class."""

import json

from grader.course.course import Course

from ...authoring.proof import challenge
from .. import EXIT_OK, lookup
from .authoring_options import Challenge


def run(options: Challenge) -> int:
    """Write the notebook and the sheet beside it. Raises UsageProblem and BugError."""
    course, names, to = Course.here(), options.bugs or [], options.to
    assignment = lookup.assignment(course, options.assignment)
    found = challenge.chosen(course, assignment, names, options.number, options.seed)
    green = [bug for bug in found if names and not challenge.is_visible(course, assignment, bug)]
    notebook, sheet = to / f"{assignment.id}_broken.ipynb", to / f"{assignment.id}_key.md"
    to.mkdir(parents=True, exist_ok=True)
    notebook.write_text(challenge.notebook(course, assignment, found), encoding="utf-8")
    sheet.write_text(challenge.key(found), encoding="utf-8")
    if options.json:
        said = {"notebook": str(notebook), "key": str(sheet), "bugs": [b.name for b in found]}
        print(json.dumps(said | {"green_from_the_start": [bug.name for bug in green]}))
    else:
        print(f"{notebook} has {len(found)} bugs; {sheet} lists them: keep it to yourself")
        for bug in green:
            print(
                f"! {bug.name}: no visible check of {bug.exercise} catches it, so it is green "
                "from the start: tell the class, or choose another bug"
            )
    return EXIT_OK

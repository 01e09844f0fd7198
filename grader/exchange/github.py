"""GitHub: a workflow that runs the visible checks on every push to a student's repository.

It also works as the template of a GitHub Classroom assignment. What it needs goes along, in
`.github/course`: the students' library and the part of the autograder that runs a notebook in
the sandbox. No hidden test, named mistake or unreleased answer is in it.
"""

import shutil
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..library import student_tree
from . import course_files

WORKFLOW = """\
# The visible checks of {id}, as `student check` runs them; grading uses hidden tests besides.
name: visible checks of {id}
on:
  push:
  workflow_dispatch:
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
          cache: pip
          cache-dependency-path: .github/course/requirements.txt
      - run: pip install -r .github/course/requirements.txt -c .github/course/constraints.txt
      - name: visible checks
        run: bash .github/course/check.sh
"""
CHECK = """\
#!/usr/bin/env bash
# Runs the visible checks on the notebook of {id} and writes the summary of the workflow's run.
course="$(cd "$(dirname "$0")" && pwd)"
export PYTHONPATH="$course" OMP_NUM_THREADS=1
notebook=""
for place in {id}.ipynb {id}/{id}.ipynb assignments/{id}/{id}.ipynb; do
    if [ -f "$place" ]; then notebook="$place"; break; fi
done
if [ -n "$notebook" ]; then
    said="$(python -m grader.cli check {id} "$notebook" 2>&1)"
    code=$?
else
    said="There is no {id}.ipynb in this repository: add your notebook under this name."
    code=2
fi
printf '%s\\n' "$said"
if [ -n "${{GITHUB_STEP_SUMMARY:-}}" ]; then
    printf '## Visible checks of {id}\\n\\n' >> "$GITHUB_STEP_SUMMARY"
    printf '%s\\n' "$said" | sed 's/^/    /' >> "$GITHUB_STEP_SUMMARY"
fi
exit $code
"""


def write(course: Course, assignment: Assignment, folder: Path) -> list[Path]:
    """Write the workflow and what it needs below `folder`; an earlier export is replaced."""
    workflow = folder / ".github" / "workflows" / f"{assignment.id}.yml"
    target = folder / ".github" / "course"
    shutil.rmtree(target, ignore_errors=True)
    released = student_tree.released_before(course, assignment.id)
    library = student_tree.write(course, target, assignment.id, released)
    files = (
        course_files.grader([*course_files.GRADING, "cli"])
        | course_files.handed_out(assignment)
        | course_files.requirements()
    )
    files["check.sh"] = CHECK.format(id=assignment.id).encode()
    for name, data in files.items():
        if _may_be_seen(name, data, library):
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    workflow.parent.mkdir(parents=True, exist_ok=True)
    workflow.write_text(WORKFLOW.format(id=assignment.id), encoding="utf-8")
    return [workflow, target]


def _may_be_seen(name: str, data: bytes, library: Path) -> bool:
    """Whether students may have this file: of the stand-ins, those in their library."""
    inside = name.removeprefix("autograder/stand_ins/")
    if inside == name or inside == "__init__.py":
        return True
    return (library / inside).is_file() and (library / inside).read_bytes() == data

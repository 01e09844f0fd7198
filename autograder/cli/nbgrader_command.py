"""`course nbgrader`: grades an nbgrader course in the sandbox and fills nbgrader's gradebook."""

from __future__ import annotations

import glob
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from course_lib.course import syllabus

from ..for_nbgrader import command, gradebook, marks, scores
from ..gradebook import manual
from ..gradebook.manual import ManualMarks
from ..gradebook.result import Result
from ..gradebook.store import Store
from ..gradebook.totals import UNGRADED
from . import grade_command, results
from .problems import UsageProblem

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory


def run(folder: Path, id: str, options: grade_command.Options) -> int:
    """Take over marks from nbgrader's gradebook, grade, and write the scores there.

    Raises UsageProblem, NbgraderError or GradebookError, and what `grade` raises.
    """
    course = syllabus.load()
    try:
        assignment = course.assignment(id)
    except KeyError as error:
        raise UsageProblem(error.args[0]) from None
    configured = gradebook.configured(folder)
    with gradebook.opened(configured) as book:
        gradebook.check(book, assignment, folder)
        found = marks.read(book, course, assignment)
    results.prepare(options.out)
    with Store(options.out / "results.db") as store:
        store.keep(found.manual)
        before = {result.student: result for result in store.latest(id)}
        elsewhere = _only_in_store(store.manual(course), found.manual, id)
    submitted = Path(configured.root) / configured.submitted_directory
    code = grade_command.run(replace(options, submissions=submitted))
    with Store(options.out / "results.db") as store:
        graded = [r for r in store.latest(id) if options.only in (None, r.student)]
        counted = results.counted_results(store, course)  # by each student's own terms
    penalties = {r.student: r.totals.late_penalty for r in counted if r.assignment == id}
    ready = [result for result in graded if result.outcome != UNGRADED]
    without = _bookkeeping(configured, submitted, id, ready, options.only)
    with gradebook.opened(configured) as book:
        for result in ready:
            penalty = float(penalties[result.student] or 0)
            scores.write(book, assignment, result, penalty, before.get(result.student))
    _say(f"{len(ready)} of {len(graded)} results of {id} are in {configured.db_url}")
    for text in [*found.warnings, *elsewhere, *without]:
        _say(text)
    return code


def _bookkeeping(
    course: CourseDirectory, submitted: Path, id: str, ready: list[Result], only: str | None
) -> list[str]:
    """Let nbgrader copy and sanitize what was handed in, without running any of it.

    Returns a sentence for each student whose notebook formgrader cannot show.
    """
    shown = [r.student for r in ready if r.outcome != "INVALID"]
    excluded = {path.name for path in submitted.iterdir()} - {*shown}
    arguments = ["autograde", id, *command.BOOKKEEPING]
    arguments += [f"--CourseDirectory.student_id_exclude={','.join(sorted(excluded))}"]
    if only is not None:
        arguments += [f"--student={glob.escape(only)}"]
    problem = ""
    if shown:
        try:
            command.run(arguments, Path(course.root))
        except command.NbgraderError as error:
            problem = str(error).strip().splitlines()[-1]
    autograded = Path(course.root) / course.autograded_directory
    copies = {s for s in shown if (autograded / s / id / f"{id}.ipynb").is_file()}
    return [
        f"{student}: formgrader has the points but no notebook to show; nbgrader takes only "
        f"{id}.ipynb in {submitted.name}/{student}/{id}{f' ({problem})' if problem else ''}"
        for student in shown
        if student not in copies
    ]


def _only_in_store(kept: ManualMarks, found: ManualMarks, id: str) -> list[str]:
    """A sentence about the marks that count here and that nbgrader does not have."""
    items = [item for item in kept.marks if item[1] == id and item not in found.marks]
    if not items:
        return []
    named = ", ".join(f"{student} {item}" for student, _, item in items[:5])
    return [
        f"marks that are not in formgrader still count here, so totals differ: {named}"
        f"{' …' if len(items) > 5 else ''}; enter them there, or withdraw them by a CSV with "
        f"{manual.WITHDRAWN} for points (course report --manual)"
    ]


def _say(text: str) -> None:
    print(text, file=sys.stderr)

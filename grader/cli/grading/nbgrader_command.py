"""`course nbgrader`: grades an nbgrader course in the sandbox and fills nbgrader's gradebook."""

import glob
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.course import Course

from ...classroom.roster import Roster
from ...exchange.for_nbgrader import gradebook, marks, scores
from ...gradebook import manual, stored_marks, stored_roster
from ...gradebook.manual import ManualMarks
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...gradebook.totals import UNGRADED
from ...intake import download_names
from ...notebook import nbgrader_cells, notebook_file
from .. import lookup
from ..output import warn
from ..records import class_list, results
from . import grade_command
from .grading_options import Grade, Grading, Nbgrader

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory


def run(options: Nbgrader) -> int:
    """Take over marks from nbgrader's gradebook, grade, and write the scores there.

    Raises UsageProblem, NbgraderError or GradebookError, and what `grade` raises.
    """
    course, id, folder = Course.here(), options.assignment, options.folder
    out = options.out or folder / "grades"
    assignment = lookup.assignment(course, id)
    listed = class_list.read(options.roster, course, out, None)
    roster = class_list.announced(listed)
    configured = gradebook.configured(folder)
    with gradebook.opened(configured) as book:
        gradebook.check(book, assignment, folder)
    results.prepare(out)
    with Store(out / "results.db") as store:
        stored_roster.keep(store, listed.given)
        with gradebook.opened(configured) as book:
            found = marks.read(book, course, assignment, lambda name: _ours(name, course, roster))
        before = {result.student: result for result in store.latest(id)}
        store.keep(found.confirmed(store.manual(course), before), marks.MARKER)
        elsewhere = _only_in_store(store.manual(course), found.manual, id)
    submitted = Path(configured.root) / configured.submitted_directory
    shared = {field.name: getattr(options, field.name) for field in fields(Grading)}
    shared["roster"] = None  # stored above
    code = grade_command.run(Grade(**shared, submissions=submitted, out=out, assignment=id))
    with Store(out / "results.db") as store:
        graded = [r for r in store.latest(id) if options.only in (None, r.student)]
        counted = results.counted_results(store, course)  # by each student's own terms
        kept = store.manual(course)
    of_this = {result.student: result for result in counted if result.assignment == id}
    theirs = {_ours(path.name, course, roster): path.name for path in submitted.iterdir()}
    ready = {
        theirs.get(result.student, result.student): result
        for result in graded
        if result.outcome != UNGRADED
    }
    shown = [name for name, result in ready.items() if result.outcome != "INVALID"]
    without = _bookkeeping(configured, submitted, id, shown)
    with gradebook.opened(configured) as book:
        for name, result in ready.items():
            now, old = of_this[result.student], before.get(result.student)
            penalty, held = float(now.totals.late_penalty or 0), [mark.item for mark in now.held]
            scores.write(book, assignment, name, result, penalty, old, held)
    with Store(out / "results.db") as store, store.connected(writing=True) as connection:
        flagged = [of_this[result.student] for result in ready.values()]
        stored_marks.append(connection, marks.asked_again(kept, flagged))
    warn(f"{len(ready)} of {len(graded)} results of {id} are in {configured.db_url}")
    told = [*_scattered(configured, ready), *_not_shown(submitted, id, ready)]
    for text in [*found.warnings, *elsewhere, *without, *told]:
        warn(text)
    return code


def _ours(name: str, course: Course, roster: Roster) -> str:
    """The name that grades go by here, of a student's name in nbgrader."""
    student = download_names.by_other_name(name, [a.id for a in course.graded], roster)
    return student.id if student else name


def _bookkeeping(
    course: "CourseDirectory", submitted: Path, id: str, shown: Sequence[str]
) -> list[str]:
    """Let nbgrader copy and sanitize what was handed in, without running any of it.

    `shown` are students by their names in nbgrader, which ends at the first whose notebook it does
    not accept: it is called again for those after it. Returns a sentence for each student whose
    notebook formgrader cannot show.
    """
    everybody, started = {path.name for path in submitted.iterdir()}, time.time()
    reasons = {name: why for name in shown if (why := _unreadable(submitted / name, id))}
    left = sorted({*shown} - {*reasons}, key=lambda name: f"{name}/")  # as nbgrader sorts paths
    while left:
        excluded = f"--CourseDirectory.student_id_exclude={','.join(sorted(everybody - {*left}))}"
        failed = gradebook.NbgraderError()
        try:
            gradebook.nbgrader(
                ["autograde", id, *gradebook.BOOKKEEPING, excluded], Path(course.root)
            )
        except gradebook.NbgraderError as error:
            failed = error
        copies = Path(course.root) / course.autograded_directory
        left = [name for name in left if not _is_new(copies / name / id / f"{id}.ipynb", started)]
        if left:
            folder = f"{submitted.name}/{left[0]}"
            reasons[left[0]] = _with_advice(failed.about(f"/{folder}/{id}"), folder, id)
        left = left[1:]
    return [
        f"{name}: the points are in formgrader, but not the notebook: {reasons[name]}"
        for name in shown
        if name in reasons
    ]


def _scattered(course: "CourseDirectory", ready: Mapping[str, Result]) -> list[str]:
    """A sentence for each answer that is not in the one cell where formgrader takes its points."""
    found = []
    for name, result in ready.items():
        id = result.assignment
        copy = Path(course.root) / course.autograded_directory / name / id / f"{id}.ipynb"
        if not copy.is_file():
            continue
        fields = {cell.grade_id for cell in notebook_file.read(copy.read_bytes())}
        for part in (part for part in result.parts if part.answer):
            if nbgrader_cells.written(part.id) not in fields:
                found.append(
                    f"{name}: formgrader has no field for the points of {part.id}, as the cell "
                    "lost its metadata; mark it with `course mark`"
                )
            elif part.notice:
                found.append(f"{name}: the answer to {part.id} is {part.notice}")
    return found


def _with_advice(reason: str, folder: str, id: str) -> str:
    """nbgrader's reason not to copy what a student's folder contains, and what to do."""
    if "old version" in reason:
        return f"{reason}; run `nbgrader update {folder}`, then this again"
    return f"{reason or 'nbgrader gave no reason'}; correct {folder}/{id}/{id}.ipynb"


def _unreadable(folder: Path, id: str) -> str:
    """Why nbgrader does not find a student's notebook, if it does not; and what to do."""
    if not (folder / id / f"{id}.ipynb").is_file():
        return f"nbgrader takes only {folder.parent.name}/{folder.name}/{id}/{id}.ipynb"
    if glob.escape(folder.name) != folder.name:
        return f"nbgrader reads no folder with [, * or ? in its name: rename {folder.name}"
    return ""


def _is_new(path: Path, started: float) -> bool:
    return path.is_file() and path.stat().st_mtime >= started


def _not_shown(submitted: Path, id: str, ready: Mapping[str, Result]) -> list[str]:
    """A sentence for each student whose points are those of another notebook than is shown."""
    shown = {name: submitted / name / id / f"{id}.ipynb" for name in ready}
    return [
        f"{name}: formgrader shows {id}.ipynb, but the points are those of "
        f"{Path(result.submission.file).name}; the student's report says why"
        for name, result in ready.items()
        if shown[name].is_file() and Path(result.submission.file) != shown[name]
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

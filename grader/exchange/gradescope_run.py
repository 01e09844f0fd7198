"""Grades what Gradescope put into its folder: `python -m grader.exchange.gradescope_run ROOT`.

ROOT has `source` (our zip), `submission` and `results`, as `/autograder` on Gradescope.
"""

import datetime
import json
import shutil
import sys
import tempfile
import traceback
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ..classroom.roster import Roster, Student
from ..gradebook.result import Result
from ..gradebook.rules import late_policy
from ..gradebook.totals import UNGRADED
from ..grading import class_run, retries
from ..grading.judge_pool import JudgePool, Settings
from ..intake import submissions
from ..intake.submissions import Submission
from . import gradescope_results
from .gradescope import SETTINGS
from .results_files import replace_file

STUDENT = "submission"
NO_NOTEBOOK = "no notebook in it is named as one of"


def main(root: Path) -> int:
    """Write results.json in any case; 1 if the grader failed."""
    target = root / "results" / "results.json"
    _write(target, gradescope_results.failed())
    try:
        result = grade_folder(root / "source", root / "submission")
    except Exception:
        traceback.print_exc()
        return 1
    if result.outcome == UNGRADED:
        print(result.reason, file=sys.stderr)
        return 1
    _write(target, gradescope_results.of(result))
    return 0


def grade_folder(source: Path, folder: Path) -> Result:
    """Grade the submission in a folder. Raises whatever keeps it from being graded."""
    settings = json.loads((source / SETTINGS).read_text(encoding="utf-8"))
    course = Course.load(source / "course.toml")
    assignment = course.assignment(settings["assignment"])
    run = Settings(jobs=1, min_tier=settings["min_tier"])
    with tempfile.TemporaryDirectory() as name:  # laid out as a class of one
        shutil.copytree(folder, Path(name) / STUDENT, symlinks=True)
        submission = received(Path(name), course, assignment)
        with closing(JudgePool(course, {assignment.id}, run)) as pool:
            now = datetime.datetime.now(datetime.timezone.utc)
            over = late_policy.ended(course, {}, now)
            [(_, tried)] = retries.grade_all([submission], None, {}, course, pool, ended=over)
    notices = [*submission.notices, *tried.result.notices]
    return tried.result.changed(assignment, notices=notices)


def received(folder: Path, course: Course, assignment: Assignment) -> Submission:
    """The submission that counts, without a time: Gradescope handles lateness."""
    is_begun = class_run.begun_in(course)
    alone = Roster({STUDENT: Student(STUDENT)})  # whatever is handed in, it is no class
    ids = [known.id for known in course.graded]
    found = submissions.find(folder, ids, alone, is_begun=is_begun)
    ours = [s for s in found if s.assignment in ("", assignment.id)]
    ours = [class_run.resolve(s, course, assignment) for s in ours]
    chosen = submissions.one_each(ours, is_begun)
    if not chosen:
        return Submission(STUDENT, assignment.id, STUDENT, problem=f"{NO_NOTEBOOK} {assignment.id}")
    return replace(chosen[0], received=None)


def _write(path: Path, results: gradescope_results.Json) -> None:
    replace_file(path, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))

"""Grades for Gradescope and writes its results: `python -m grader.exchange.gradescope_run ROOT`.

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
from typing import Any

from grader.checking.messages import Message
from grader.course.assignment import Assignment
from grader.course.course import Course

from ..classroom.roster import Roster, Student
from ..gradebook.exercise_result import ExerciseResult, GradedTest
from ..gradebook.result import Result
from ..gradebook.rules import late_policy
from ..gradebook.totals import UNGRADED
from ..grading import class_run, retries
from ..grading.judge_pool import JudgePool, Settings
from ..intake import submissions
from ..intake.submissions import Submission
from ..report.for_students import for_student
from ..report.plain_text import cleaned, number, shortened
from ..report.sentences import TEST_OUTCOMES, cause_sentence, outcome_sentence
from .gradescope import SETTINGS
from .results_files import replace_file

Json = dict[str, Any]
FORMATS = {
    "output_format": "text",
    "test_output_format": "text",
    "test_name_format": "text",
    "stdout_visibility": "hidden",
}
HIDDEN_TESTS = "after_published"


def results_json(result: Result) -> Json:
    """Gradescope's results.json: `score` is without lateness, which Gradescope handles itself.

    Students see what our own report shows them; of hidden tests only once the grades are published.
    What the report does not show (names of tests and of known mistakes) is for instructors alone.
    """
    shown, totals = cleaned(for_student(result)), result.totals
    return FORMATS | {
        "score": totals.total,
        "execution_time": round(result.seconds),
        "output": "\n".join(_summary(shown)),
        "tests": [
            *(test for e in shown.exercises for test in _exercise(e, shown)),
            _for_instructors(shown),
        ],
    }


def no_results() -> Json:
    """There is no score, so that nobody gets a zero for a failure of the grader's.

    Why is for the instructor alone, on stdout.
    """
    return FORMATS | {
        "output": "Your submission has not been graded: the grader failed, through no fault of "
        "yours. Submit again, or ask your instructor."
    }


def _summary(result: Result) -> list[str]:
    lines = [outcome_sentence(result)]
    lines += [f"What happened: {shortened(result.reason)}"] if result.reason else []
    lines += [f"Notice: {shortened(notice, 600)}" for notice in result.notices]
    others = [e.id for e in result.exercises if e.kind != "written" and e.points is None]
    waiting = [part.id for part in result.parts if part.points is None] + others
    if waiting:
        lines.append(f"Not part of this score, as they are marked elsewhere: {', '.join(waiting)}.")
    return lines


def _exercise(exercise: ExerciseResult, result: Result) -> list[Json]:
    name = f"{exercise.id} {exercise.title}{' (bonus)' if exercise.bonus else ''}"
    said = {test.id: m for found in exercise.failures for test, m in found.each()}
    cause = cause_sentence(exercise, result)
    tests = [_test(test, said.get(test.id, test.message), cause, name) for test in exercise.tests]
    for part in exercise.parts:
        tests.append({
            "number": part.id,
            "name": f"{part.id} {part.title}",
            "output": "A person marks this answer." if part.answer else "No answer was found.",
            "visibility": "visible",
        })  # fmt: skip
    if exercise.kind == "model":
        tests.append({
            "number": exercise.id,
            "name": name,
            "output": "The trained model is scored elsewhere, on data that is not here.",
            "visibility": "visible",
        })  # fmt: skip
    return tests


def _test(test: GradedTest, message: Message | None, cause: str, name: str) -> Json:
    kept = test.points > 0
    return {
        "number": name.split()[0],
        "name": f"{name}: {test.title}",
        "score": test.points,
        "max_score": test.max_points,
        "status": "passed" if kept else "failed",
        "output": _output(test, message, cause),
        "visibility": "visible" if test.public else HIDDEN_TESTS,
    }


def _output(test: GradedTest, message: Message | None, cause: str) -> str:
    if test.outcome == "PASSED":
        return "passed"
    lines = [TEST_OUTCOMES[test.outcome]] if test.outcome in TEST_OUTCOMES else []
    lines += [cause] if cause else []
    if message is not None:
        facts = [*replace(message, read="").lines(), ("known mistake", test.known_as)]
        facts += [("read", message.read)]
        lines += [f"{label + ':':<14} {shortened(text)}" for label, text in facts if text]
    return "\n".join(lines) or "failed"


def _for_instructors(result: Result) -> Json:
    lost = [test for test in result.tests if test.outcome != "PASSED"]
    layers = ", ".join(f"{name} ({how})" for name, how in result.layers.items())
    lines = [f"outcome {result.outcome}, isolation tier {result.tier or 'none'}: {layers}"]
    lines += [f"SHA-256 of what was handed in: {result.submission.sha256}", f"seed {result.seed}"]
    lines += [
        f"{test.outcome} {test.id} ({number(test.points)} of {number(test.max_points)})"
        f"{f', known mistake {test.bug}' if test.bug else ''}"
        for test in lost
    ]
    return {"name": "For instructors", "output": "\n".join(lines), "visibility": "hidden"}


STUDENT = "submission"
NO_NOTEBOOK = "no notebook in it is named as one of"


def main(root: Path) -> int:
    """Write results.json in any case; 1 if the grader failed."""
    target = root / "results" / "results.json"
    _write(target, no_results())
    try:
        result = grade_folder(root / "source", root / "submission")
    except Exception:
        traceback.print_exc()
        return 1
    if result.outcome == UNGRADED:
        print(result.reason, file=sys.stderr)
        return 1
    _write(target, results_json(result))
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


def _write(path: Path, results: Json) -> None:
    replace_file(path, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))

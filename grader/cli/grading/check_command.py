"""`course check`: the visible tests on a saved notebook, in a sandbox."""

from grader.checking.messages import summary
from grader.course.course import Course

from ...gradebook.result import Result
from ...grading import judge_pool, judge_process
from ...grading.judge_pool import Settings
from ...intake.submissions import Submission
from ...report.sentences import cause_sentence
from .. import EXIT_FOUND, EXIT_OK, lookup
from ..output import UsageProblem, say, say_json
from .grading_options import Check


def run(options: Check) -> int:
    """Print the result of each visible test; exit 1 unless all pass."""
    course, notebook = Course.here(), options.notebook
    id = lookup.assignment(course, options.assignment).id
    if not notebook.is_file():
        what = "is a folder" if notebook.is_dir() else "there is no such file"
        raise UsageProblem(f"{notebook}: {what}; give a notebook file, such as a1.ipynb")
    submission = Submission("you", id, str(notebook), notebook.read_bytes())
    with judge_pool.started(course, {id}, Settings(jobs=1)) as pool:
        result = pool.submit(judge_process.check_one, submission).result()
    if options.json:
        say_json(result.as_json())
    else:
        _print(result)
    all_pass = all(test.outcome == "PASSED" for test in result.tests)
    return EXIT_OK if result.outcome != "INVALID" and all_pass else EXIT_FOUND


def _print(result: Result) -> None:
    if result.outcome == "INVALID":
        say(f"This file cannot be checked: {result.reason}.")
        return
    for entry in result.exercises:
        if entry.tests:
            alone = entry.model_copy(update={"may_gain": 0})  # this run gives no points
            heading, first = f"{entry.id} {entry.title}", cause_sentence(alone, result)
            say("\n".join(summary(heading, entry.tests, first=first)))
    for notice in result.notices:
        say(f"  ! {notice}")
    say("Hidden tests check more when you submit.")

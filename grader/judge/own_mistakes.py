"""Tells a test's own mistake from an answer that the test could not handle, by the model answer.

What a test's own code raises, a TypeError or a KeyError say, may come from either. So the test runs
on the model answer too, with the same inputs, in a worker of its own that runs nothing of the
student's: if it raises there as well, no answer is to blame. A class asks once about each test.
Not told apart are what a test raises over some right answers only, what it raises over handed-in
files, and any of it where no model answer lies, as on Gradescope; these tests fail.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from grader.checking.faults import SuiteError
from grader.checking.raised import explain
from grader.checking.session import BROKEN, PASSED, TestResult
from grader.notebook import notebook_file
from grader.notebook.collect import collect

from .suite_run import OpenWorker, Submitted, results
from .workers.load import Load

# What the tests of a course raise on its model answers, by assignment and test, as far as asked.
Asked = dict[tuple[str, str], SuiteError | None]


def told_apart(
    submitted: Submitted, tests: list[TestResult], open_worker: OpenWorker, asked: Asked
) -> list[TestResult]:
    """The results, with those tests BROKEN that raise on the model answer too.

    `asked` is shared by the submissions of a class, and gets what is not known yet.
    """
    assignment = submitted.assignment
    suspects = [test.id for test in tests if test.raised]
    if not suspects or not assignment.solution.exists():
        return tests
    if unknown := [id for id in suspects if (assignment.id, id) not in asked]:
        for test in _on_the_model_answer(submitted, unknown, open_worker):
            if test.raised or test.outcome == PASSED:  # no time-out, which would say nothing
                asked[assignment.id, test.id] = test.raised
    raised = {id: error for id in suspects if (error := asked.get((assignment.id, id)))}
    return [
        replace(test, outcome=BROKEN, message=explain(raised[test.id], []))
        if test.id in raised
        else test
        for test in tests
    ]


def _on_the_model_answer(
    submitted: Submitted, only: Collection[str], open_worker: OpenWorker
) -> list[TestResult]:
    assignment = submitted.assignment
    names = [name for exercise in assignment.exercises for name in exercise.names]
    collected = collect(notebook_file.read(assignment.solution.read_bytes()), names)
    load = Load(collected.statements, forbidden=assignment.forbidden_anywhere)
    with open_worker(load) as worker:
        return results(replace(submitted, files={}), worker, {}, only)

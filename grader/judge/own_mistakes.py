"""Tells a test's own mistake from an answer that the test could not handle, by the model answer.

What a test's own code raises, a TypeError or a KeyError say, may come from either. So the test runs
on the model answer too, with the same inputs, in a worker of its own that runs nothing of the
student's: if it raises there as well, no answer is to blame. Not told apart are what a test raises
over some right answers only, what it raises over handed-in files, and any of it where no model
answer lies, as on Gradescope; these tests fail.
"""

from __future__ import annotations

from dataclasses import replace

from grader.checking.raised import explain
from grader.checking.session import BROKEN, TestResult
from grader.notebook import notebook_file
from grader.notebook.collect import collect

from .suite_run import OpenWorker, Submitted, results
from .workers.load import Load


def told_apart(
    submitted: Submitted, tests: list[TestResult], open_worker: OpenWorker
) -> list[TestResult]:
    """The results, with those tests BROKEN that raise on the model answer too."""
    suspects = [test.id for test in tests if test.raised]
    assignment = submitted.assignment
    if not suspects or not assignment.solution.exists():
        return tests
    names = [name for exercise in assignment.exercises for name in exercise.names]
    collected = collect(notebook_file.read(assignment.solution.read_bytes()), names)
    load = Load(collected.statements, forbidden=assignment.forbidden_anywhere)
    with open_worker(load) as worker:
        again = results(replace(submitted, files={}), worker, {}, only=suspects)
    raised = {test.id: test.raised for test in again if test.raised}
    return [
        replace(test, outcome=BROKEN, message=explain(raised[test.id], []))
        if test.id in raised
        else test
        for test in tests
    ]

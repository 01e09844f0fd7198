"""Tells a test's own mistake from a wrong answer, by the course's own answer.

A test that the course's answer fails, by a wrong expected value say, grades nobody. So the tests
run on that answer too, with the same inputs, in a worker of its own that runs nothing of the
student's. A class asks once about each test, and not at all once its suite is known to be right.
Not asked are tests of handed-in files, and any where no answer lies.
"""

from collections.abc import Iterable
from dataclasses import replace

from grader.checking.explanation import explain
from grader.checking.faults import SuiteError
from grader.checking.session import BROKEN, FAILED, TestResult
from grader.checking.suite import Test, read_tests
from grader.course.course_file import shown
from grader.notebook import notebook_file
from grader.notebook.collect import collect

from .suite_run import OpenWorker, Submitted, results, suite_files
from .workers.load import Load

# What is wrong with the tests of a course, by assignment and test; None: nothing that we know.
Asked = dict[tuple[str, str], SuiteError | None]


def told_apart(
    submitted: Submitted, tests: list[TestResult], open_worker: OpenWorker, asked: Asked
) -> list[TestResult]:
    """The results, with those tests BROKEN that the course's own answer fails.

    `asked` is shared by the submissions of a class, and gets what is not known yet.
    """
    id = submitted.assignment.id
    if not submitted.assignment.solution.exists():
        return tests
    if unknown := {test.id for test in tests} - {test for of, test in asked if of == id}:
        found = _on_the_own_answer(submitted, unknown, open_worker)
        asked.update({(id, test): found.get(test) for test in unknown})
    wrong = {test.id: error for test in tests if (error := asked[id, test.id])}
    return [
        replace(test, outcome=BROKEN, message=explain(wrong[test.id], []))
        if test.id in wrong
        else test
        for test in tests
    ]


def _on_the_own_answer(
    submitted: Submitted, ids: Iterable[str], open_worker: OpenWorker
) -> dict[str, SuiteError]:
    """The faults of these tests; a time-out or a crash would say nothing."""
    assignment = submitted.assignment
    known = {t.id: t for p in suite_files(assignment) for t in read_tests(p)}
    only = [id for id in ids if not known[id].takes_files]
    names = [name for exercise in assignment.exercises for name in exercise.names]
    collected = collect(notebook_file.read(assignment.solution.read_bytes()), names)
    load = Load(collected.statements, forbidden=assignment.forbidden_anywhere)
    with open_worker(load) as worker:
        found = results(replace(submitted, files={}), worker, {}, only)
    return {one.id: error for one in found if (error := _fault(known[one.id], one))}


def _fault(test: Test, found: TestResult) -> SuiteError | None:
    if found.raised or found.outcome != FAILED or found.message is None:
        return found.raised
    expected, got = (" ".join(text.split()) for text in (found.message.expected, found.message.got))
    return SuiteError(
        f"{shown(test.file)}: the course's own answer fails “{test.mark.title}” (expected "
        f"{expected or 'an answer'}, got {got}): correct the test or the answer"
    )

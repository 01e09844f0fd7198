"""`student check`: an assignment's tests on a saved notebook, whose code is in its own process."""

import contextlib
import sys
from pathlib import Path
from typing import Any

from ..checking import card, session
from ..checking.exercise import ExerciseMark
from ..checking.explanation import explain
from ..checking.faults import SuiteError
from ..checking.findings import right_form, shown_answers
from ..checking.messages import Message, summary
from ..checking.numeric import describe
from ..checking.session import FAILED, PASSED, TestResult
from ..course.assignment import Assignment
from ..course.course import Course
from ..course.course_file import shown
from ..course.exercise import ModelPart
from ..course.lab import Lab
from ..course.problem import Problem
from ..course.submission_folder import FOLDER
from ..notebook.collect import decided
from ..notebook.foreign_imports import foreign_imports
from ..seam import Student, StudentError
from ..seam.errors import LOAD_ERROR
from . import progress, record, tree, work
from .notebook_process import NotebookProcess
from .record import Run
from .tree import reason
from .work import Work

SECONDS = 60.0  # for one call; right answers take far less than one
START_SECONDS = 300.0  # to import libraries and load the definitions
# what a trained model is asked
TEXTS = ["A man in a red shirt is playing the guitar.", "The film is not good."]


def run(assignment: Assignment, given: Path | None, full: bool) -> bool:
    """Print what each test found; True if all of them pass. Raises Problem."""
    found = work.read(assignment, given)
    hidden = _hidden(found) if full else None
    done = run_tests(found, hidden)
    show(assignment, done, "checks" if full else "visible checks")
    if not full and not isinstance(assignment, Lab):
        print("Hidden tests check more when you submit.")
    for part, answer in found.answers.items():
        if answer.notice:
            print(f"  ! the answer to {part} is {answer.notice}")
    for notice in found.notices:
        print(f"  ! {notice}")
    with contextlib.suppress(OSError):  # the page of progress is poorer, the check is as good
        record.keep(found, done)
    return all(test.message is None for test in done.tests)


def run_open() -> bool:
    """Check every assignment that is begun and not finished; True if all tests pass.

    Raises Problem if none is begun.
    """
    parts = progress.progress().parts
    if unreadable := [part for part in parts if part.problem]:
        raise Problem(unreadable[0].problem)
    if not any(part.is_begun for part in parts):
        raise Problem(
            f"no exercise is written yet: open {shown(parts[0].assignment.starter)} and begin"
        )
    passed = True
    for part in parts:
        if part.is_begun and not part.is_finished:
            print(f"{part.assignment.id} {part.assignment.title}")
            passed = run(part.assignment, None, full=False) and passed
            print()
    if all(part.is_finished for part in parts if part.is_begun):
        print("All that you have begun is done. `student progress` shows what is left.")
    return passed


def show(assignment: Assignment, done: Run, what: str, only_failing: bool = False) -> None:
    """Print the tests of every exercise, as its check cell does.

    `only_failing`: of an exercise that passes, nothing but its heading.
    """
    for exercise in assignment.exercises:
        if tests := done.of(exercise.id):
            passes, first = done.passes(exercise.id), ""
            if not passes:
                first = card.to_repair(assignment, exercise, lambda one: done.of(one.id))
            lines = summary(f"{exercise.id} {exercise.title}", tests, what, first)
            print("\n".join(lines[:1] if only_failing and passes else lines))


def _hidden(found: Work) -> Path:
    """The folder of the hidden tests. Raises Problem if there is none, or no attempt yet."""
    if isinstance(found.assignment, Lab):
        raise Problem(
            f"{found.assignment.id} is a lab, which has no hidden tests: leave out --full"
        )
    hidden = tree.hidden_suite(found.assignment)
    if hidden is None:
        raise Problem(
            f"the hidden tests of {found.assignment.id} are not in this folder: run `student check "
            f"{found.assignment.id}` without --full; the hidden tests run when you submit"
        )
    required = [exercise for exercise in found.assignment.exercises if not exercise.bonus]
    if open_ones := [exercise.id for exercise in required if not found.is_begun(exercise)]:
        raise Problem(
            f"try every exercise of {found.path.name} before --full. Not written yet: "
            f"{', '.join(open_ones)}"
        )
    return hidden


def run_tests(
    work: Work,
    hidden: Path | None = None,
    model: bool = False,
    seconds: float = SECONDS,
    start_seconds: float = START_SECONDS,
) -> Run:
    """Run the visible tests, and those in the folder `hidden`. Raises Problem.

    `model`: try the trained model beside the notebook, too. `seconds`: for one call;
    `start_seconds`: until the definitions are loaded.
    """
    assignment = work.assignment
    if not assignment.public_tests:
        raise Problem(f"{assignment.folder}: there are no visible tests")
    if hidden:
        sys.path.insert(0, str(hidden.parents[1]))  # they import the hidden package
    with NotebookProcess(work, seconds, start_seconds) as process:
        try:
            process.start()
        except StudentError as error:
            raise Problem(
                f"{work.path}: its definitions cannot be loaded ({error.message}): look for "
                "a loop, `input()` or `exit()` in the cells that define functions"
            ) from None
        try:
            tests = session.run(
                assignment,
                Student(process),
                files=[
                    *assignment.public_tests,
                    *(assignment.hidden_tests(hidden) if hidden else []),
                ],
                verdicts=_verdicts(work),
                handed_in={name: path.read_bytes() for name, path in work.files.items()},
                strict=False,
                right=right_form.answers(assignment, hidden=hidden),
                causes=shown_answers.causes_of(assignment.public_tests),
            )
        except SuiteError as error:
            raise Problem(reason(str(error))) from None
        return Run([*tests, *([_model_trial(Student(process), assignment)] if model else [])])


def _verdicts(work: Work) -> dict[str, StudentError]:
    """Why the grader cannot load what an exercise needs, though this machine may."""
    found = decided(work.assignment, work.collected)
    for exercise in work.assignment.exercises:
        course, collected = Course.here(), work.collected
        for why in foreign_imports(course, work.assignment, collected, exercise.names).values():
            found.setdefault(exercise.id, StudentError(LOAD_ERROR, why))
    return found


def _model_trial(student: Student, assignment: Assignment) -> TestResult:
    """The trained model, asked as the grader will: a test of the first exercise that trains one."""
    assert assignment.model is not None
    loader, function = assignment.model.entry_points
    exercise = next(e.id for e in assignment.exercises if e.kind == "model")
    title = f"`{loader}` loads the submitted files; `{function}` answers two texts."
    found = _message(student, assignment.model)
    outcome = FAILED if found else PASSED
    return TestResult("model", ExerciseMark(exercise, 0, title), True, outcome, found, 0.0)


def _message(student: Student, model: ModelPart) -> Message | None:
    """None if the model in the folder `submission` answers; otherwise what is wrong."""
    loader, function = model.entry_points
    expected = f"a list with a {model.answer} for each text"
    try:
        student.begin()
        handle = student.make(f"student[{loader!r}]({FOLDER!r})")
        answer = student.call(getattr(student, function), handle, TEXTS).value
    except StudentError as error:
        found = explain(error, model.entry_points)
        return found if found.got else Message(expected, "nothing")
    return None if _fits(answer, model.answer) else Message(expected, describe(answer))


def _fits(answer: Any, wanted: str) -> bool:
    values = answer.tolist() if hasattr(answer, "tolist") else answer
    kind = str if wanted == "text" else int
    return (
        isinstance(values, (list, tuple))
        and len(values) == len(TEXTS)
        and all(isinstance(value, kind) for value in values)
    )

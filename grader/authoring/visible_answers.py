"""Writes the right and wrong answers to visible tests beside them: see `checking.shown_answers`."""

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

from grader.checking import session
from grader.checking.findings import right_form, shown_answers
from grader.checking.session import FAILED, PASSED, TestResult
from grader.checking.suite import read_tests
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.notebook import notebook_file
from grader.notebook.collect import collect
from grader.notebook.statements import Statement
from grader.seam import Student

from ..judge import mistaken
from ..judge.workers.load import Load
from ..judge.workers.local import local_worker
from ..library.components import BuildError

Run = Callable[[Student], list[TestResult]]


def made_from(assignment: Assignment, tests: Path, solution: bytes) -> str:
    """A digest of all that the answers to the visible tests of a file follow from."""
    exercises = _exercises(tests)
    names = [name for id in exercises for name in assignment.exercise(id).names]
    needed = collect(notebook_file.read(solution), names).closure(names)  # not the set-up
    # code that was put together again has other parentheses, spaces and quotes in other Pythons
    code = [re.sub(r"""[\s()'"]""", "", statement.source) for statement in needed]
    texts = [tests.read_text(encoding="utf-8"), *code]
    texts += [bug.model_dump_json() for bug in _mistakes(assignment, exercises)]
    path = assignment.hidden / right_form.FILE
    if _questions(tests) and path.exists():
        texts.append(path.read_text(encoding="utf-8"))
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def is_current(assignment: Assignment, tests: Path, solution: bytes) -> bool:
    path = shown_answers.path_of(tests)
    if not path.exists():
        return False
    found = json.loads(path.read_text(encoding="utf-8"))
    return bool(found["made_from"] == made_from(assignment, tests, solution))


def text(assignment: Assignment, tests: Path, solution: bytes) -> str:
    """The file of the answers. Raises BuildError if the course's own `solution` fails a test."""
    answers = dict[str, Any]()
    wrong = list[dict[str, Any]]()  # no names of mistakes, which students do not have
    for exercise in _exercises(tests):
        run = partial(
            session.run,
            assignment,
            files=[tests],
            exercises=[exercise],
            right=None,
            handed_in=mistaken.handed_in(assignment),
            strict=False,
        )
        given = collect(
            notebook_file.read(solution), assignment.exercise(exercise).names
        ).statements
        found = run(_right(assignment, given))
        right = {one.name: one.answer for one in found if one.mark.question}
        for bug in _mistakes(assignment, [exercise]):
            statements = mistaken.statements(assignment, bug, given)
            if failed := _failed(run, assignment, statements, right):
                wrong.append({"sentence": bug.sentence, "tests": failed})
        if failed := _failed(run, assignment, given, right):
            raise BuildError(f"{tests.name}: the course's own answer fails {', '.join(failed)}")
        answers |= {name: shown_answers.written(one) for name, one in right.items() if one}
    made = {"made_from": made_from(assignment, tests, solution), "right": answers, "wrong": wrong}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"


def _failed(
    run: Run, assignment: Assignment, statements: list[Statement], right: dict[str, Any]
) -> dict[str, Any]:
    """The answers of code to the tests that it fails."""
    load = Load(statements, forbidden=assignment.forbidden_anywhere)
    with warnings.catch_warnings(), local_worker(load) as worker:
        warnings.simplefilter("ignore")  # a mistake may divide by zero
        found = run(Student(worker))
    failed = dict[str, Any]()
    for one in found:
        if one.answer is None:
            continue
        asked = one.mark.question
        wrong = one.outcome == FAILED
        if asked and one.outcome == PASSED:
            wrong = not one.answer.like(right[one.name], asked.atol, asked.rtol)
        if wrong:
            failed[one.name] = shown_answers.written(one.answer)
    return failed


def _right(assignment: Assignment, given: list[Statement]) -> Student:
    path = assignment.hidden / right_form.FILE
    if path.exists():
        return right_form.RightForm(vars(right_form.module(path, path.stat().st_mtime)))
    with local_worker(Load(given)) as worker:  # a lab's
        return Student(worker)


def _questions(tests: Path) -> bool:
    return any(test.mark.question for test in read_tests(tests))


def _exercises(tests: Path) -> list[str]:
    """The exercises that the tests of a file ask about, in their order."""
    return list(dict.fromkeys(test.mark.exercise for test in read_tests(tests)))


def _mistakes(assignment: Assignment, exercises: Collection[str]) -> list[mistakes.Bug]:
    return [bug for bug in mistakes.load(assignment) if bug.exercise in exercises]

"""Asks the named mistakes an exercise's tests, after a failure only.

A mistake is put into the course's own answer and asked in the judge's process: that is none of a
student's code, and a sandbox would take ten times as long. One that loops meets a limit. Answers
depend on the release's seed alone: a class asks once.
"""

import contextlib
import hashlib
import json
import os
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from grader.checking import session, suite
from grader.checking.findings import causes, right_form, shown_answers
from grader.checking.findings.causes import Mistake, Told
from grader.checking.session import TestResult
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.mistakes import Bug, BugError
from grader.notebook import notebook_file
from grader.notebook.collect import collect
from grader.notebook.statements import Statement
from grader.seam import Student

from ..library.components import Component
from .suite_run import OpenWorker, SuiteRun, suite_files
from .workers.load import Load
from .workers.local import local_worker

FOLDER = ".course/mistaken"  # in the course's root


def folder_of_answers(assignment: Assignment, given: Iterable[bytes], seed: int) -> Path:
    """The folder that keeps answers that follow from these texts and this seed for the next run.

    It is in the course's own folder, which no submission's code can open, and can be deleted at any
    time. Numbers have seven digits, far more than a comparison of answers needs.
    """
    digest = hashlib.sha256(str(seed).encode())
    for text in given:
        digest.update(text)
    return assignment.root / FOLDER / f"{assignment.id}-{digest.hexdigest()[:16]}"


def read_kept(path: Path) -> dict[str, Told]:
    """By test; nothing if the file is not there or is damaged."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {
            test: Told(one["outcome"], one["answer"] and shown_answers.answer_of(one["answer"]))
            for test, one in kept.items()
        }
    return {}


def write_kept(path: Path, told: dict[str, Told]) -> None:
    """Replace the file at once; where nothing can be written, nothing is kept."""
    kept = {
        test: {"outcome": one.outcome, "answer": one.answer and shown_answers.written(one.answer)}
        for test, one in told.items()
    }
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps(kept), encoding="utf-8")
        half.replace(path)


PATIENCE = 5  # times the CPU seconds that a call of a student's may take

_told: dict[Path, dict[str, Told]] = {}  # by the file that keeps it, then by test


def with_causes(assignment: Assignment, run: SuiteRun, explained: Collection[str]) -> SuiteRun:
    """Name the mistakes behind failures, but where an earlier exercise explains all of them.

    To ask every mistake of an exercise takes longer than to grade a submission.
    """
    unexplained = {
        test.mark.exercise
        for test in run.tests
        if test.outcome == session.FAILED and test.id not in explained
    }
    asked = [test for test in run.tests if test.mark.exercise in unexplained]
    named = {test.id: test for test in causes_of(assignment)(asked)}
    return replace(run, tests=[named.get(test.id, test) for test in run.tests])


def causes_of(assignment: Assignment, seed: int | None = None) -> session.Causes:
    """A function that names the mistakes behind the failures of a submission."""
    seed = assignment.seed if seed is None else seed

    def named(results: list[TestResult]) -> list[TestResult]:
        failing = {one.mark.exercise for one in results if one.outcome == session.FAILED}
        if not failing or not assignment.solution.exists():
            return results
        kept = folder_of_answers(assignment, _rests_on(assignment), seed)
        found = {result.id: result for result in results}
        for exercise in failing:
            own = [result for result in results if result.mark.exercise == exercise]
            suspects = [
                _mistake(assignment, bug, kept / f"{bug.name}.json", seed)
                for bug in mistakes.load(assignment)
                if bug.exercise == exercise
            ]
            found.update({one.id: one for one in causes.named(own, suspects)})
        return [found[result.id] for result in results]

    return named


def _mistake(assignment: Assignment, bug: Bug, kept: Path, seed: int) -> Mistake:
    def asked(ids: Collection[str]) -> Mapping[str, Told]:
        told = _told.setdefault(kept, {})
        if not told.keys() >= {*ids}:
            told.update(read_kept(kept))  # another judge may have asked meanwhile
        if missing := [id for id in ids if id not in told]:
            told.update(ask(assignment, bug, missing, seed))
            write_kept(kept, told)
        return {id: told[id] for id in ids}

    return Mistake(bug.name, bug.sentence, asked)


def _rests_on(assignment: Assignment) -> list[bytes]:
    """The sources that a mistake's answers follow from."""
    bugs = [bug.model_dump_json().encode() for bug in mistakes.load(assignment)]
    names = tuple(name for exercise in assignment.exercises for name in exercise.names)
    code = [one.source.encode() for one in own(assignment.solution, names)]
    engine = sorted(Path(session.__file__).parent.glob("*.py"))
    files = [*engine, *assignment.public_tests, *assignment.hidden_code]
    return [*(file.read_bytes() for file in files), *bugs, *code]


def all_kept(assignment: Assignment) -> list[Path]:
    """Ask every mistake every test of its exercise; returns the files that keep the answers.

    Where nothing can be kept, there are none. What is kept already is not asked again.
    """
    seed = assignment.seed
    kept = folder_of_answers(assignment, _rests_on(assignment), seed)
    tests = [test for path in suite_files(assignment) for test in suite.read_tests(path)]
    for bug in mistakes.load(assignment):
        asked = [test.id for test in tests if test.mark.exercise == bug.exercise]
        _mistake(assignment, bug, kept / f"{bug.name}.json", seed).told(asked)
    return sorted(kept.glob("*.json"))


def ask(
    assignment: Assignment,
    bug: Bug,
    ids: Collection[str],
    seed: int | None = None,
) -> dict[str, Told]:
    """The answers of one mistake to the tests with these ids."""
    limited = partial(local_worker, seconds=PATIENCE * assignment.call_seconds)
    found = list[TestResult]()

    def seen(results: list[TestResult]) -> list[TestResult]:
        found.extend(results)  # before it is known which of them count
        return results

    run(assignment, bug, limited, only=ids, seed=seed, causes=seen)
    return {one.id: Told(one.outcome, one.answer) for one in found}


def run(
    assignment: Assignment, bug: Bug, open_worker: OpenWorker, seed: int | None = None, **how: Any
) -> list[TestResult]:
    """The results of tests on the course's own answer with a mistake; `how` as `session.run`."""
    load = Load(statements(assignment, bug), forbidden=assignment.forbidden_anywhere)
    with warnings.catch_warnings(), open_worker(load) as worker:
        warnings.simplefilter("ignore")  # a mistake may divide by zero
        return session.run(
            assignment,
            Student(worker),
            files=suite_files(assignment),
            handed_in=handed_in(assignment),
            seed=seed,
            strict=False,
            right=right_form.answers(assignment, seed),
            **how,
        )


def statements(
    assignment: Assignment, bug: Bug, given: Sequence[Statement] | None = None
) -> list[Statement]:
    """The course's own answer to the exercise (or what is `given`) with the mistake.

    Raises BugError for a mistake that does not fit.
    """
    if given is None:
        given = own(assignment.solution, tuple(assignment.exercise(bug.exercise).names))
    component = Component.parse(bug.component)
    source, name = bug.apply(component.source), component.name
    if not any(name in one.names for one in given):
        raise BugError(f"{bug.name}: exercise {bug.exercise} does not use {bug.component}")
    return [replace(one, source=source) if name in one.names else one for one in given]


def handed_in(assignment: Assignment) -> dict[str, bytes]:
    """The files that a correct submission has beside its notebook, apart from a model's."""
    names = [name for exercise in assignment.exercises for name in exercise.files]
    return {name: (assignment.hidden / "handed_in" / name).read_bytes() for name in names}


@lru_cache(maxsize=64)
def own(solution: Path, names: tuple[str, ...]) -> list[Statement]:
    """The definitions of these names in the course's own notebook."""
    return collect(notebook_file.read(solution.read_bytes()), names).statements

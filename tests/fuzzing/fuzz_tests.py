"""The fuzzer's answers to hidden tests: right ones, recorded once, with a few of them changed."""

from __future__ import annotations

import contextlib
import functools
import json
import time
from dataclasses import dataclass, field
from typing import Any

import proofs
from fuzz_files import changed_table
from fuzz_messages import any_answer
from fuzz_models import reported
from fuzz_mutation import Rng, Target, as_json, made_by

from grader.authoring.proof import cases
from grader.checking import session
from grader.checking.findings import right_form
from grader.checking.suite import read_tests
from grader.judge import score
from grader.judge.suite_run import suite_files
from grader.judge.workers.load import Load
from grader.notebook import notebook_file
from grader.notebook.collect import collect
from grader.seam import Student, StudentError
from grader.seam.errors import CRASHED, KINDS

COURSE = proofs.COURSE
MOST_SECONDS = 0.1  # of CPU time for a right answer: tests that take longer are left out
ALL = ("a1", "a2", "a3", "a4", "a5")
Answer = tuple[str, bytes]


@dataclass
class Recorder:
    """A backend that keeps what another one answers."""

    backend: Any
    answers: list[Answer] = field(default_factory=list)

    def request(self, request: Any, payload: bytes, deadline: float | None) -> tuple[dict, bytes]:
        answer, data = self.backend.request(request, payload, deadline)
        self.answers.append((json.dumps(answer), data))
        return answer, data


@dataclass
class Replayed:
    """A backend that answers what was recorded, but for the requests whose numbers are `wrong`."""

    rng: Rng
    answers: list[Answer]
    wrong: set[int]
    asked: int = -1

    def request(self, request: Any, payload: bytes, deadline: float | None) -> tuple[dict, bytes]:
        self.asked += 1
        text, data = self.answers[min(self.asked, len(self.answers) - 1)]
        answer: Any = json.loads(text)
        if self.asked in self.wrong or (
            self.asked >= len(self.answers) and request["verb"] != "begin"
        ):
            if self.rng.random() < 0.03:
                raise StudentError(self.rng.choice(sorted(KINDS)), "the worker is gone")
            answer, data = any_answer(self.rng, answer.get("ok"), data)
            answer = json.loads(as_json(answer)) if b"[[[[" not in as_json(answer) else {}
            if not isinstance(answer, dict) or not answer.keys() & {"ok", "error", "loaded"}:
                raise StudentError(CRASHED, "it sent nonsense")  # as RemoteBackend does
        return answer, data


@functools.lru_cache(maxsize=8)
def right(id: str) -> Any:
    """A backend with the solution of an assignment, loaded once."""
    assignment = COURSE.assignment(id)
    names = [name for exercise in assignment.exercises for name in exercise.names]
    found = collect(notebook_file.read(proofs.notebook(id, "solution")), names)
    opened = contextlib.ExitStack()
    return opened.enter_context(proofs.local_worker(Load(found.statements, found.unavailable)))


@functools.lru_cache(maxsize=8)
def suite(id: str) -> list[tuple[Any, Any]]:
    """The tests of an assignment, each with its file."""
    files = suite_files(COURSE.assignment(id))
    return [(test, path) for path in files for test in read_tests(path)]


@functools.lru_cache(maxsize=8)
def handed_in(id: str) -> dict[str, bytes]:
    return cases.handed_in(COURSE.assignment(id))


@functools.lru_cache(maxsize=1000)
def recorded(id: str, number: int) -> list[Answer]:
    """A right submission's answers in one test; empty if it takes too long."""
    assignment, (test, path) = COURSE.assignment(id), suite(id)[number]
    recorder, given, began = Recorder(right(id)), handed_in(id), time.process_time()
    (result,) = session.run(
        assignment, Student(recorder), files=[path], right=None, only={test.id}, handed_in=given
    )
    assert result.outcome == session.PASSED, result
    return recorder.answers if time.process_time() - began < MOST_SECONDS else []


def chosen(rng: Rng, assignments: tuple[str, ...] = ALL) -> tuple[str, int, int]:
    """An assignment, the number of a test with recorded answers, and a seed for what is wrong."""
    id = rng.choice(assignments)
    number = rng.randrange(len(suite(id)))
    while not recorded(id, number):
        number = rng.randrange(len(suite(id)))
    return id, number, rng.getrandbits(64)


def feed_test(given_test: tuple[str, int, int]) -> None:
    """One hidden test with a wrong answer in it, from the test to the student's page."""
    id, number, seed = given_test
    assignment, rng, answers = COURSE.assignment(id), Rng(seed), recorded(id, number)
    test, path = suite(id)[number]
    wrong = {rng.randrange(1, max(2, len(answers))) for _ in range(rng.choice((1, 1, 2)))}
    given = {
        name: changed_table(rng, data) if rng.random() < 0.5 else data
        for name, data in handed_in(id).items()
    }
    tests = session.run(
        assignment,
        Student(Replayed(rng, answers, wrong)),
        only={test.id},
        files=[path],
        right=right_form.answers(assignment),
        handed_in=given,
    )
    of_one = COURSE.assignment(id).exercise(test.mark.exercise)
    entries = score.exercises(assignment, tests, {}, of_one.names, {}, {of_one.id})
    score.outcome(tests)
    reported(assignment, entries, rng.random() < 0.1, files=given)


TARGETS = (Target("answers to hidden tests", made_by(chosen), feed_test, share=0.05),)

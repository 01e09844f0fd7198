"""Runs a suite once against one student and returns plain results.

The student's code is behind the seam; the caller's process holds the expected values. A notebook's
`check`, the student's own program and the judge all run their tests here: they differ in the tests
that they have and in the backend.
"""

import copy
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..course.assignment import Assignment
from ..seam import Student, StudentError
from ..seam.errors import KINDS, TIMEOUT
from . import automatic_facts, numeric
from .answer import Answer, tell_apart, wrong_value
from .explanation import UNFIT, explain
from .faults import SuiteError, own_fault
from .messages import Failure, Message
from .suite import Fixture, Test, read_tests
from .test_result import BROKEN, FAILED, PASSED, TestResult, without_lone_passes

MAX_TIMEOUTS = 2  # per exercise; after that its remaining tests are not run


RightAnswers = Callable[[Test], Answer]
Causes = Callable[[list["TestResult"]], list["TestResult"]]


def run(
    assignment: Assignment,
    student: Student,
    *,
    files: list[Path],
    right: RightAnswers | None,
    only: Collection[str] | None = None,
    exercises: Collection[str] | None = None,
    verdicts: dict[str, StudentError] | None = None,
    handed_in: Mapping[str, bytes] | None = None,
    seed: int | None = None,
    strict: bool = True,
    causes: Causes | None = None,
) -> list[TestResult]:
    """Run the tests of `files`, restricted to the test ids `only` and to `exercises` if given.

    `verdicts`: exercises whose failure is known beforehand; their tests do not run. `right` gives
    the right answers to questions; with None, they are only asked, and pass. `causes` finds the
    named mistakes that failures show.
    Raises SuiteError if the suite cannot be read, or if a test's own code is wrong; if the run is
    not `strict`, only this test is BROKEN.
    """
    session = _Session(
        assignment,
        student,
        verdicts or {},
        assignment.seed if seed is None else seed,
        handed_in or {},
        strict,
        right,
    )
    paths = [path for path in files if path.exists()]
    tests = [  # all are read before the first one runs
        (test, path.is_relative_to(assignment.folder))
        for path in paths
        for test in read_tests(path)
        if (only is None or test.id in only)
        and (exercises is None or test.mark.exercise in exercises)
    ]
    results = [session.result(test, public) for test, public in tests]
    return without_lone_passes(causes(results) if causes else results)


def is_first(test: Test) -> bool:
    """Whether it is the first hidden question of its exercise: see `automatic_facts`."""
    files = sorted(test.file.parent.glob("test_*.py"))  # visible tests have other names
    tests = (other for path in files for other in read_tests(path))
    asked = (t.id for t in tests if t.mark.question and t.mark.exercise == test.mark.exercise)
    return next(asked, None) == test.id


@dataclass(frozen=True)
class _Session:
    """The state that the tests of one run share."""

    assignment: Assignment
    student: Student
    verdicts: dict[str, StudentError]
    seed: int
    handed_in: Mapping[str, bytes]
    strict: bool
    right: RightAnswers | None
    timeouts: Counter[str] = field(default_factory=Counter)  # by exercise
    made: "dict[tuple[str, str], _Made]" = field(default_factory=dict)  # by exercise and fixture

    def result(self, test: Test, public: bool) -> TestResult:
        """Run one test; what it raises is its result, but for a mistake of its own."""
        started = time.perf_counter()
        outcome, message, raised, answered, wrong = PASSED, None, None, False, False
        answer: Answer | None = None
        try:
            self._allow(test.mark.exercise)
            made = {
                name: self._made(fixture, test.mark.exercise)
                for name, fixture in test.fixtures.items()
            }
            rng = self._begin(test, test.mark.exercise)
            answered = not any(one.raised for one in made.values())
            given = {name: one.get() for name, one in made.items()}
            if test.mark.question is None:
                test.call(self.student, rng, self.handed_in, given)
            else:
                answer = self._asked(test, rng, given)
                self._compare(test, answer)
        except Failure as failure:
            of_error = isinstance(failure.__context__, StudentError) or None
            outcome, message = FAILED, replace(failure.message, raised=of_error)
            wrong = not of_error and not isinstance(failure.value, str)  # texts tell refusals
            answer = answer or wrong_value(failure, test.file)
        except Exception as error:
            answer = answer or Answer.raising(error)
            if isinstance(error, SuiteError) and self.strict:
                raise
            special = isinstance(error, StudentError) and error.kind in KINDS
            outcome = error.kind if special else FAILED  # type: ignore[attr-defined]
            outcome = BROKEN if isinstance(error, SuiteError) else outcome
            exercise = self.assignment.exercise(test.mark.exercise)
            bans = self.assignment.bans(exercise)
            message = explain(error, exercise.names or exercise.files, exercise.id, bans)
            message = replace(message, raised=True)
            told = isinstance(error, (StudentError, SuiteError))
            if not told and not test.takes_files:
                raised = own_fault(error, test.file)
        message = message and self._of_none(message)
        self.timeouts[test.mark.exercise] += outcome == TIMEOUT
        seconds = time.perf_counter() - started
        answered = answered and (wrong or not self.student.raised())
        return TestResult(
            test.id, test.mark, public, outcome, message, seconds, raised, answered, answer
        )

    def _asked(self, test: Test, rng: np.random.Generator, given: dict[str, Any]) -> Answer:
        """The answer to a question. Raises StudentError unless the right form raises, too."""

        def asked(rng: np.random.Generator) -> Answer:
            return Answer.of(test.call(self.student, rng, self.handed_in, given))

        try:
            answer = asked(rng)
            if not is_first(test) or self._is_wrong(test, answer):
                return answer
            exercise = self.assignment.exercise(test.mark.exercise)
            return automatic_facts.with_facts(
                answer,
                self.student,
                self.right and self.right(test),
                exercise.declines,
                lambda: asked(self._begin(test, exercise.id)),
            )
        except StudentError as error:
            right = self.right and self.right(test)
            if error.kind.isupper() or (right and not right.raised):
                raise
            return Answer.raising(error)

    def _is_wrong(self, test: Test, answer: Answer) -> bool:
        """Whether an answer without facts is wrong already: then nobody asks for these."""
        try:
            self._compare(test, answer, facts=False)
        except Failure:
            return True
        return False

    def _compare(self, test: Test, answer: Answer, facts: bool = True) -> None:
        """Raises Failure for an answer that is not the right one, or of which a fact is not so."""
        if self.right is not None and (asked := test.mark.question):
            right = self.right(test)
            values = automatic_facts.without_facts(right)
            tell_apart(answer, values, asked.advice, asked.read, asked.atol, asked.rtol)
            if facts:
                automatic_facts.tell_apart(answer, right)

    def _of_none(self, message: Message) -> Message:
        """The message; of a None that a whole call gave, its cause is the missing `return`."""
        unfit = message.got.startswith(UNFIT) and "NoneType" in message.got
        none = (unfit or message.got == "None") and self.student.gave_none
        return replace(message, cause=numeric.NO_RETURN, seen=True) if none else message

    def _allow(self, exercise: str) -> None:
        """Raises StudentError if the exercise's tests need not run."""
        if exercise in self.verdicts:
            raise self.verdicts[exercise]
        for rests_on in [*self.assignment.upstream(self.assignment.exercise(exercise)), exercise]:
            if self.timeouts[rests_on] >= MAX_TIMEOUTS:
                why = f"not run: {MAX_TIMEOUTS} earlier calls of exercise {rests_on} took too long"
                raise StudentError(TIMEOUT, why)

    def _begin(self, asked: Fixture, exercise: str) -> np.random.Generator:
        """Set the exercise's rules, and seeds of the release and the test or fixture; returns the
        generator of its random inputs, the same for everyone.
        """
        number = _number(asked.id)
        numeric.begin(asked.id)
        forbidden = self.assignment.forbidden_in(self.assignment.exercise(exercise))
        self.student.begin(seed=self.seed ^ number, forbid=forbidden)
        return np.random.default_rng([self.seed, number])

    def _made(self, fixture: Fixture, exercise: str) -> "_Made":
        """The value or exception of a fixture's first call."""
        key = (exercise, fixture.id)
        if key not in self.made:
            rng = self._begin(fixture, exercise)
            value, error = None, None
            try:
                value = fixture.call(self.student, rng, self.handed_in)
            except Exception as raised:
                error = raised
            self.made[key] = _Made(value, error, self.student.raised())
        return self.made[key]


@dataclass(frozen=True)
class _Made:
    """The value of a fixture or what it raised, and whether the student's code raised."""

    value: Any
    error: Exception | None
    raised: bool

    def get(self) -> Any:
        """A copy of the value, so that a test that changes it changes it for no other."""
        if self.error is not None:
            raise self.error
        return copy.deepcopy(self.value)


def _number(text: str) -> int:
    return zlib.crc32(text.encode())

"""The result of one submission: its student, its graded files and its totals.

The judge makes it, a class run adds the student and the time, manual marks replace points. A result
is immutable: each of these makes a new one by `of` or `changed`, which also compute the totals.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from grader.course.assignment import Assignment

from .exercise_result import ExerciseResult, GradedTest, ModelResult, Number, PartResult, Record
from .lateness import Lateness, lateness
from .totals import Totals, add_up

PRINTED = "the notebook printed while being graded"


class SubmissionFacts(Record):
    """The submission's files, place and time; `sha256` covers all its files."""

    sha256: str
    notebook_sha256: str = ""
    file: str = ""
    received: str | None = None
    received_from: str = ""  # the clock: see `classroom.receipt`
    notices: list[str] = []


class Override(Record):
    """Automatic points of an exercise (`was`) that a person replaced."""

    exercise: str
    points: Number
    comment: str
    was: Number | None


class Held(Record):
    """A manual mark that does not count: the answer that it was given for has changed since."""

    item: str
    points: Number | None
    comment: str
    marker: str = ""
    given_at: str = ""
    answer_sha256: str = ""
    answer: str = ""  # the text that it was given for, if the item is a written part


class Request(Record):
    """A student's request to look at the points of an item again."""

    item: str
    reason: str
    asked_at: str
    answered_at: str = ""  # when a later mark, or a marker who changed nothing, answered it
    settled_by: str = ""  # who left the points as they were


class Result(Record):
    """The result of one submission; fields not known yet are empty (the judge knows no student)."""

    assignment: str
    outcome: str
    reason: str
    submission: SubmissionFacts
    seed: int
    notices: list[str] = []
    tier: str
    layers: dict[str, str]
    exercises: list[ExerciseResult]
    model: ModelResult | None = None
    provisional: bool = False  # failures are tried with right forms when the assignment has ended
    totals: Totals = Totals()
    late: Lateness | None = None  # by the terms of this student; see `late_policy`
    seconds: Number
    student: str = ""
    suite_sha256: str = ""
    suite_parts: dict[str, str] = {}  # hashes behind it: by exercise, and "" for what all share
    environment_sha256: str = ""
    graded_at: str = ""
    overrides: list[Override] = []
    held: list[Held] = []  # marks that wait for a person
    comment: str = ""  # a person's, on the whole assignment
    requests: list[Request] = []  # oldest first

    @classmethod
    def of(
        cls,
        assignment: Assignment,
        submission: SubmissionFacts,
        exercises: Sequence[ExerciseResult],
        outcome: str,
        reason: str,
        *,
        notices: Sequence[str] = (),
        isolation: Mapping[str, Any] | None = None,
        model: ModelResult | None = None,
        seconds: float = 0.0,
    ) -> "Result":
        """A judge's findings with their totals. `isolation`: see `Worker`; None if nothing ran."""
        isolation = isolation or {"tier": "", "layers": {}}
        found = cls(
            assignment=assignment.id,
            outcome=outcome,
            reason=reason,
            submission=submission,
            seed=assignment.seed,
            notices=[*notices],
            tier=isolation["tier"],
            layers=isolation["layers"],
            exercises=[*exercises],
            seconds=seconds,
        )
        return found.changed(assignment, **({} if model is None else {"model": model}))

    @classmethod
    def read(cls, text: str) -> "Result":
        """Parse a stored result; pydantic's JSON parser would refuse names with invalid Unicode."""
        return cls.model_validate(json.loads(text))

    def changed(self, assignment: Assignment, **facts: Any) -> "Result":
        """A new result with other facts about the same submission, and new totals."""
        new = self.model_copy(update=facts)
        totals = add_up(new.exercises, new.outcome, new.lateness(assignment))
        return new.model_copy(update={"totals": totals})

    def lateness(self, assignment: Assignment) -> Lateness:
        """How late it is: by the student's terms if they were applied, or by the due date alone."""
        return self.late or lateness(self.submission.received, assignment)

    @property
    def tests(self) -> list[GradedTest]:
        """The tests of all exercises."""
        return [test for exercise in self.exercises for test in exercise.tests]

    @property
    def untouched(self) -> bool:
        """Whether the notebook was read, and no exercise of code is written in it."""
        code = [e for e in self.exercises if e.kind == "code" and e.tests]
        return bool(code) and all(e.status == "not written" for e in code)

    @property
    def untested(self) -> list[str]:
        """Exercises that are pending because one of their tests is wrong itself."""
        return [e.id for e in self.exercises if e.kind == "code" and e.points is None]

    @property
    def items(self) -> list[ExerciseResult | PartResult]:
        """The items with points: written parts, and the exercises without them, in order."""
        found = list[ExerciseResult | PartResult]()
        for exercise in self.exercises:
            found.extend(exercise.parts if exercise.parts else [exercise])
        return found

    @property
    def parts(self) -> list[PartResult]:
        """The written parts of all exercises."""
        return [part for exercise in self.exercises for part in exercise.parts]


class Key(NamedTuple):
    """The inputs that a grade depends on."""

    student: str
    assignment: str
    submission_sha256: str
    suite_sha256: str
    environment_sha256: str
    seed: int
    tier: str


def key_of(result: Result) -> Key:
    return Key(
        result.student,
        result.assignment,
        result.submission.sha256,
        result.suite_sha256,
        result.environment_sha256,
        result.seed,
        result.tier,
    )


def told_of_output(printed: str) -> list[str]:
    """A notice that quotes the first line that the submission printed, if it did."""
    first = printed.strip().splitlines()[:1]
    return [f"{PRINTED}: `{line[:120]}`" for line in first]

"""From test results to points, hints and a submission's outcome."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from grader.checking.messages import WAITING
from grader.checking.session import BROKEN, PASSED, TestResult
from grader.course.assignment import Assignment
from grader.course.exercise import Exercise
from grader.seam import errors as kinds

from ..gradebook.exercise_result import (
    ExerciseResult,
    GradedTest,
    ModelResult,
    PartResult,
)
from ..notebook.answer_cells import Answer
from ..notebook.attachments import Attachments
from .models import thresholds
from .models.scorer import Scorer

# Test outcomes that become the outcome of the whole submission, worst first.
SEVERITY = (kinds.CRASHED, kinds.OOM, kinds.TIMEOUT, kinds.LOAD_ERROR, kinds.POLICY)


def exercises(
    assignment: Assignment,
    tests: list[TestResult],
    passed_with: Mapping[str, list[str]],
    written: Collection[str],
    answers: Mapping[str, Answer],
    only: Collection[str] | None = None,
    beside: Mapping[str, Attachments] | None = None,
) -> list[ExerciseResult]:
    """One entry per exercise.

    `passed_with`: for tests that pass with substitutes, what was substituted. `written`: the
    names that are defined and no longer stubs, and the files handed in. `answers`, and what is
    `beside` them: by written part.
    """
    found = []
    for exercise in assignment.exercises:
        if only is not None and exercise.id not in only:
            continue
        if exercise.kind == "model":  # until `models` fills it in
            facts: dict[str, Any] = {"points": None, "status": "pending", "model": None}
        elif exercise.kind == "written":
            facts = _parts(exercise, answers, beside or {})
        else:
            own = [test for test in tests if test.mark.exercise == exercise.id]
            facts = _code(exercise, own, passed_with, written)
        found.append(
            ExerciseResult(
                id=exercise.id,
                title=exercise.title,
                kind=exercise.kind,
                bonus=exercise.bonus,
                section=exercise.section,
                max_points=exercise.points,
                **facts,
            )
        )
    return found


def nothing(assignment: Assignment) -> list[ExerciseResult]:
    """The entries of a submission that could not be read."""
    return exercises(assignment, [], {}, [], {})


def unknown(assignment: Assignment) -> list[ExerciseResult]:
    """The entries of a submission that could not be graded: points are pending, not zero."""
    pending = {"points": None, "status": "pending"}
    return [entry.model_copy(update=pending) for entry in nothing(assignment)]


def models(
    assignment: Assignment, entries: list[ExerciseResult], model: ModelResult
) -> list[ExerciseResult]:
    """Fill in the points of model exercises, linear in the score."""
    scorer = assignment.scorer
    return [
        _of_model(assignment.exercise(entry.id), entry, model, scorer)
        if entry.kind == "model"
        else entry
        for entry in entries
    ]


def _of_model(
    exercise: Exercise, entry: ExerciseResult, model: ModelResult, scorer: Scorer
) -> ExerciseResult:
    full = round(thresholds.full_at(exercise, model.examples, scorer), 2)

    def share_of(score: float | None) -> float:
        return 0.0 if score is None else thresholds.share(exercise, score, model.examples, scorer)

    share = share_of(model.score)
    held = bool(model.disputed) and share != share_of(model.by_weights)
    status = "pending" if held else "full" if share == 1 else "partial" if share else "zero"
    limits = {"zero_at": exercise.zero_at, "full_at": full, **({"held": True} if held else {})}
    facts = {
        "points": None if held else round(share * exercise.points, 2),
        "status": status if model.handed_in else "not written",
        "model": model.model_copy(update=limits),
    }
    return entry.model_copy(update=facts)


def _parts(
    exercise: Exercise, answers: Mapping[str, Answer], beside: Mapping[str, Attachments]
) -> dict[str, Any]:
    """The fields of a written exercise until it is marked manually."""
    parts = []
    for part in exercise.parts:
        id = f"{exercise.id}.{part.id}"
        answer = answers.get(id, Answer())
        also = {**beside.get(id, Attachments())._asdict(), "notice": answer.notice}
        parts.append(
            PartResult(
                id=id,
                title=part.title,
                max_points=part.points,
                points=None,
                comment="",
                answer=answer.text,
                words=len(answer.text.split()),
                word_limit=part.words,
                **{name: text for name, text in also.items() if text},
            )
        )
    return {"points": None, "status": "pending", "parts": parts}


def _code(
    exercise: Exercise,
    tests: list[TestResult],
    passed_with: Mapping[str, list[str]],
    written: Collection[str],
) -> dict[str, Any]:
    """The fields of a code exercise, from its tests."""
    weight = sum(test.mark.weight for test in tests)
    exact = [exercise.points * test.mark.weight / weight for test in tests]
    passed_with = _with_waiting(tests, passed_with)
    passed = [test.outcome == PASSED or test.id in passed_with for test in tests]
    points = round(sum(s for s, good in zip(exact, passed, strict=True) if good), 2)
    shares = _in_cents(exact, passed, points, exercise.points)
    graded = [
        _test(test, share, passed_with.get(test.id, []))
        for test, share in zip(tests, shares, strict=True)
    ]
    absent = not {*exercise.names, *exercise.files} & set(written)
    others = (id for test in graded for id in test.caused_by if id not in exercise.names)
    caused_by = list(dict.fromkeys(others))
    status = "not written" if absent else "partial" if points else "zero"
    status = "full" if graded and points >= exercise.points - 0.005 else status
    broken = any(test.outcome == BROKEN for test in tests)
    return {
        "points": None if broken else points,
        "status": "pending" if broken else status,
        "written": not absent,
        "caused_by": caused_by,
        "carried_through": any(test.carried_through for test in graded),
        "tests": graded,
    }


def _with_waiting(
    tests: list[TestResult], passed_with: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """The substitutions, also for tests that wait for one that passes with it."""
    found = dict(passed_with)
    for test in tests:
        carried = [passed_with[id] for id in test.waits_for if id in passed_with]
        found |= {test.id: carried[0]} if carried and test.outcome == WAITING else {}
    return found


def _test(test: TestResult, share: float, replaced: list[str]) -> GradedTest:
    passed, message = test.outcome == PASSED or bool(replaced), test.message
    if message and replaced:  # the cause is elsewhere
        message = replace(message, cause="", seen=False, mistake=None)
    found = None if passed else message
    return GradedTest(
        id=test.id,
        title=test.mark.title,
        public=test.public,
        max_points=share,
        points=share if passed else 0.0,
        outcome=test.outcome,
        message=message,
        bug=found.mistake if found else None,
        bug_title=found.cause if found and found.mistake else "",
        caused_by=replaced,
        carried_through=bool(replaced),
    )


def _in_cents(exact: list[float], passed: list[bool], points: float, most: float) -> list[float]:
    """The tests' shares with two decimals: of those that passed they add up to `points`, and all to
    the exercise's."""
    shares = [0.0] * len(exact)
    for good, whole in ((True, points), (False, most - points)):
        mine = [n for n, one in enumerate(passed) if one is good]
        sum_of, given, so_far = sum(exact[n] for n in mine), 0.0, 0.0
        for n in mine:
            so_far += exact[n]
            until = round(whole * so_far / sum_of, 2)
            shares[n], given = round(until - given, 2), until
    return shares


def broken(tests: list[TestResult]) -> list[str]:
    """A notice for each test that is wrong itself, which leaves its exercise pending."""
    return [
        f"exercise {test.mark.exercise} is not graded yet, because {test.message.got}"
        for test in tests
        if test.outcome == BROKEN and test.message
    ]


def outcome(tests: list[TestResult]) -> tuple[str, str]:
    """The submission's outcome and, if it is not GRADED, what happened."""
    for kind in SEVERITY:
        hit = [test for test in tests if test.outcome == kind]
        if hit:
            where = ", ".join(dict.fromkeys(test.mark.exercise for test in hit))
            message = hit[0].message.got if hit[0].message else ""
            return kind, f"in exercise {where}: {message}"
    return "GRADED", ""

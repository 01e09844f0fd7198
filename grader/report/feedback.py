"""One student's result of one assignment, arranged for reading."""

import datetime
from typing import Any

from grader.checking.messages import WAITING, cause_label
from grader.course.assignment import Assignment

from ..gradebook.exercise_result import ExerciseResult
from ..gradebook.lateness import moment, written, written_receipt
from ..gradebook.result import Result
from ..gradebook.totals import WITHOUT_POINTS
from .plain_text import counted, number
from .sentences import TEST_OUTCOMES, cause_sentence, model_sentences, outcome_sentence


def feedback(result: Result, assignment: Assignment) -> dict[str, Any]:
    """Everything the page shows of one result, ready for the template.

    It never names another student: the page may be given to its student.
    """
    late = result.lateness(assignment)
    waiting = _waiting(result)
    exercises = [_exercise(e, result) for e in result.exercises]
    if result.outcome in WITHOUT_POINTS:  # leave out zeros that only repeat the outcome
        exercises = [e for e in exercises if e["points"] or e["comment"]]
    return {
        "result": result,
        "assignment": assignment,
        "sentence": outcome_sentence(result),
        "lateness": late,
        "bar": score_bar(result),
        "waiting": waiting - late.penalty(waiting),
        "exercises": exercises,
        "asked": _asked(result, assignment.zone),
        "next_steps": _next_steps(exercises),
        "proof": _proof(result, assignment.zone),
    }


def score_bar(result: Result) -> dict[str, Any]:
    """The total as segments of a bar, in percent of all available points, bonus included."""
    totals = result.totals
    waiting = _waiting(result)
    late = totals.late_penalty
    whole = max(totals.max, (totals.total or 0.0) + late, 1)
    segments, start = [], 0.0
    for name, value in (
        ("automatic", totals.automatic or 0.0),
        ("manual", totals.manual or 0.0),
        ("bonus", totals.bonus),
    ):
        width = 100 * value / whole
        segments.append({"name": name, "x": round(start, 2), "width": round(width, 2)})
        start += width
    share = min(100 - start, 100 * waiting / whole)
    segments.append({"name": "pending", "x": round(start, 2), "width": round(share, 2)})
    lost = 100 * late / whole
    texts = [f"{number(totals.automatic)} automatic points"]
    texts += [f"{number(totals.manual)} manual points"] if totals.manual is not None else []
    texts += [f"{number(totals.bonus)} bonus points"] if totals.bonus else []
    texts += [f"{number(late)} points deducted for lateness"] if late else []
    texts += [f"{number(waiting)} points still pending"] if waiting else []
    return {
        "segments": segments,
        "late": {"x": round(start - lost, 2), "width": round(lost, 2)} if late else None,
        "description": ", ".join(texts),
    }


def _waiting(result: Result) -> float:
    """The points of the written parts that are not marked yet, and could still count."""
    if result.outcome in WITHOUT_POINTS or result.totals.excused:
        return 0.0
    return sum(part.max_points for part in result.parts if part.points is None)


def _exercise(exercise: ExerciseResult, result: Result) -> dict[str, Any]:
    """The fields of an exercise, and what the page says about it."""
    tests = exercise.tests
    override = next((o for o in result.overrides if o.exercise == exercise.id), None)
    return dict(exercise) | {
        "failures": _failures(exercise),
        "waiting": [test for test in tests if test.outcome == WAITING and not test.carried_through],
        "carried": [test for test in tests if test.carried_through],
        "passed": [test for test in tests if test.outcome == "PASSED"],
        "stub": bool(tests) and all(t.outcome == "NOT_WRITTEN" and not t.points for t in tests),
        "cause_sentence": cause_sentence(exercise, result),
        "model_sentences": model_sentences(exercise),
        "override": override,
        "held": {mark.item: mark for mark in result.held},
        "comment": (override or exercise).comment,
    }


def _next_steps(exercises: list[dict[str, Any]], most: int = 3) -> list[dict[str, Any]]:
    """The exercises where most points were lost: why, if that is known, and what to read.

    An earlier exercise is never why: tests that it made fail have kept their points.
    """
    lost = [(e["max_points"] - (e["points"] or 0), e) for e in exercises if e["failures"]]
    lost = [(points, e) for points, e in lost if points > 0 and not e["bonus"]]
    steps = []
    for points, exercise in sorted(lost, key=lambda pair: -pair[0])[:most]:
        message = exercise["failures"][0]["message"]
        why = f"{cause_label(message.seen)}: {message.cause}" if message.cause else ""
        why = "not written yet" if exercise["stub"] else why
        read = message.read or exercise["section"]
        how = "to gain" if exercise["stub"] else "lost"
        steps.append({"exercise": exercise, "points": points, "how": how, "why": why, "read": read})
    return steps


def _failures(exercise: ExerciseResult) -> list[dict[str, Any]]:
    """Failed tests without points, grouped by their cause.

    Groups with a likely cause come first: the others may well share it.
    """
    groups = [
        {
            "tests": found.tests,
            "message": found.shared,
            "cause_label": found.label,
            "bug_title": found.tests[0][0].known_as,
            "label": TEST_OUTCOMES.get(found.tests[0][0].outcome, ""),
        }
        for found in exercise.failures
    ]
    return sorted(groups, key=lambda group: not group["message"].seen)


def _asked(result: Result, zone: datetime.tzinfo) -> dict[str, list[dict[str, str]]]:
    """The student's regrade requests by item, with times in the course's zone."""
    found: dict[str, list[dict[str, str]]] = {}
    for one in result.requests:
        facts = {"reason": one.reason, "kept": one.settled_by}
        facts["asked"] = written(moment(one.asked_at), zone)
        facts["answered"] = written(moment(one.answered_at), zone) if one.answered_at else ""
        found.setdefault(one.item, []).append(facts)
    return found


def _proof(result: Result, zone: datetime.tzinfo) -> list[tuple[str, str]]:
    """Facts that prove the grade: enough to reproduce the grade."""
    submission = result.submission
    layers = ", ".join(f"{name} ({how})" for name, how in result.layers.items())
    tier = f"{result.tier}: {layers}" if layers else result.tier
    facts = [
        ("file", submission.file),
        ("SHA-256 of the file", submission.sha256),
        ("received", written_receipt(submission.received, submission.received_from, zone)),
        (
            "graded",
            f"{written(moment(result.graded_at), zone)}, "
            f"{counted(len(result.tests), 'test')} in {result.seconds:.2g} s",
        ),
        ("SHA-256 of the tests", result.suite_sha256),
        ("SHA-256 of the environment", result.environment_sha256),
        ("seed of the inputs", str(result.seed)),
    ]
    return [*facts, ("isolation tier", tier)] if tier else facts

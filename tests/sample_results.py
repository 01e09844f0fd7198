"""Sample results in the judge's format, for the tests of gradebook and report."""

import hashlib
from typing import Any

from autograder.scorers.bleu import Bleu
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import Exercise
from grader.gradebook.exercise_result import ModelResult
from grader.gradebook.result import Result
from grader.judge.models import thresholds

COURSE = Course.here()
IN_TIME = "2027-02-07T18:04:00+00:00"
SCORED = {  # the judge's result for a trained translator
    "measure": "bleu",
    "score": 47.31,
    "bleu": 47.31,
    "unit": "BLEU",
    "unit_in_words": "BLEU",
    "low": 45.8,
    "high": 48.9,
    "signature": "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",
    "agreement": 0.993,
    "measured": {"training_perplexity": 4.0, "validation_perplexity": 5.0},
    "problem": "",
    "notes": [],
    "source": "mirror",
    "examples": 1000,
    "recomputed": 1000,
    "seconds": 24.6,
    "sentences_per_second": 41.0,
    "handed_in": True,
}
ANSWERS = {"a": "Without it the logits grow with d_k.", "b": "Equivariant, not invariant."}


def sample(
    student: str = "s01",
    assignment: str = "a1",
    *,
    failed: dict[str, list[dict[str, Any]]] | None = None,
    not_written: tuple[str, ...] = (),
    received: str | None = IN_TIME,
    **fields: Any,
) -> Result:
    """A graded submission with full automatic points, but for the tests that `failed` lists.

    `failed` maps an exercise to its failed tests, each a dict of what differs from `_test`.
    `fields` replace those of the result.
    """
    course = COURSE.assignment(assignment)
    exercises = [
        _exercise(course, e, (failed or {}).get(e.id, []), e.id in not_written)
        for e in course.exercises
    ]
    result = {
        "student": student,
        "assignment": assignment,
        "outcome": "GRADED",
        "reason": "",
        "tier": "A",
        "layers": {"landlock": "ABI 6", "seccomp": "on", "uid": "its own"},
        "submission": {
            "file": f"submitted/{student}/{assignment}/{assignment}.ipynb",
            "sha256": _sha(student + assignment),
            "received": received,
        },
        "suite_sha256": _sha("suite"),
        "environment_sha256": _sha("environment"),
        "seed": course.seed,
        "graded_at": "2027-02-09T08:00:00+00:00",
        "seconds": 0.31,
        "notices": [],
        "exercises": exercises,
        "overrides": [],
    } | fields
    return Result.model_validate(result).changed(course)


def _exercise(
    assignment: Assignment, exercise: Exercise, failed: list[dict[str, Any]], stub: bool
) -> dict[str, Any]:
    common = {
        "id": exercise.id,
        "title": exercise.title,
        "kind": exercise.kind,
        "bonus": exercise.bonus,
        "section": exercise.section,
        "max_points": exercise.points,
    }
    if exercise.kind == "written":
        parts = [_part(exercise, part) for part in exercise.parts]
        return common | {"points": None, "status": "pending", "parts": parts}
    if exercise.kind == "model":
        model = SCORED | {
            "zero_at": exercise.zero_at,
            "full_at": thresholds.full_at(exercise, 1000, assignment.scorer),
        }
        told = Bleu().sentences(ModelResult(**model))
        return common | {
            "points": exercise.points,
            "status": "full",
            "model": model | {"told": told},
        }
    tests = [_test(exercise, number, stub) for number in range(8)]
    for number, change in enumerate(failed, start=2):
        tests[number] |= {"points": 0.0, "outcome": "FAILED"} | change
    points = round(sum(test["points"] for test in tests), 2)
    status = "full" if points == exercise.points else "partial" if points else "zero"
    return common | {
        "points": points,
        "written": not stub,
        "status": "not written" if stub else status,
        "caused_by": sorted({id for test in tests for id in test["caused_by"]}),
        "carried_through": any(test["carried_through"] for test in tests),
        "tests": tests,
    }


def _test(exercise: Exercise, number: int, stub: bool) -> dict[str, Any]:
    titles = ["shape", "worked example", "large values", "rows sum to one", "batches", "masked row"]
    name = next(iter(exercise.names), exercise.title)
    message = {"expected": f"`{name}`, written by you", "got": "not written yet"}
    return {
        "id": f"test_{exercise.id.replace('.', '_')}.py::test_{number}",
        "title": f"{exercise.title}: {(titles + ['contract', 'float32'])[number]}",
        "public": number < 2,
        "max_points": exercise.points / 8,
        "points": 0.0 if stub else exercise.points / 8,
        "outcome": "NOT_WRITTEN" if stub else "PASSED",
        "message": {**message, "cause": "", "read": ""} if stub else None,
        "bug": None,
        "bug_title": None,
        "caused_by": [],
        "carried_through": False,
    }


def _part(exercise: Exercise, part: Any) -> dict[str, Any]:
    answer = ANSWERS.get(part.id, "")
    return {
        "id": f"{exercise.id}.{part.id}",
        "title": part.title,
        "max_points": part.points,
        "points": None,
        "comment": "",
        "answer": answer,
        "words": len(answer.split()),
        "word_limit": part.words,
    }


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()

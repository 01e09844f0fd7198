"""Gradescope's results.json: from a result, or from the reason why there is none.

Students see what our own report shows them; of hidden tests only once the grades are published.
What the report does not show (names of tests and of known mistakes) is for instructors alone.
"""

from dataclasses import replace
from typing import Any

from grader.checking.messages import Message

from ..gradebook.exercise_result import ExerciseResult, GradedTest
from ..gradebook.result import Result
from ..report.for_students import for_student
from ..report.plain_text import cleaned, number, shortened
from ..report.sentences import TEST_OUTCOMES, cause_sentence, outcome_sentence

Json = dict[str, Any]
FORMATS = {
    "output_format": "text",
    "test_output_format": "text",
    "test_name_format": "text",
    "stdout_visibility": "hidden",
}
HIDDEN_TESTS = "after_published"


def of(result: Result) -> Json:
    """`score` is what `course grade` gives without lateness, which Gradescope handles itself."""
    shown, totals = cleaned(for_student(result)), result.totals
    return FORMATS | {
        "score": totals.total,
        "execution_time": round(result.seconds),
        "output": "\n".join(_summary(shown)),
        "tests": [
            *(test for e in shown.exercises for test in _exercise(e, shown)),
            _for_instructors(shown),
        ],
    }


def failed() -> Json:
    """There is no score, so that nobody gets a zero for a failure of the grader's.

    Why is for the instructor alone, on stdout.
    """
    return FORMATS | {
        "output": "Your submission has not been graded: the grader failed, through no fault of "
        "yours. Submit again, or ask your instructor."
    }


def _summary(result: Result) -> list[str]:
    lines = [outcome_sentence(result)]
    lines += [f"What happened: {shortened(result.reason)}"] if result.reason else []
    lines += [f"Notice: {shortened(notice, 600)}" for notice in result.notices]
    others = [e.id for e in result.exercises if e.kind != "written" and e.points is None]
    waiting = [part.id for part in result.parts if part.points is None] + others
    if waiting:
        lines.append(f"Not part of this score, as they are marked elsewhere: {', '.join(waiting)}.")
    return lines


def _exercise(exercise: ExerciseResult, result: Result) -> list[Json]:
    name = f"{exercise.id} {exercise.title}{' (bonus)' if exercise.bonus else ''}"
    said = {test.id: m for found in exercise.failures for test, m in found.each()}
    cause = cause_sentence(exercise, result)
    tests = [_test(test, said.get(test.id, test.message), cause, name) for test in exercise.tests]
    for part in exercise.parts:
        tests.append({
            "number": part.id,
            "name": f"{part.id} {part.title}",
            "output": "A person marks this answer." if part.answer else "No answer was found.",
            "visibility": "visible",
        })  # fmt: skip
    if exercise.kind == "model":
        tests.append({
            "number": exercise.id,
            "name": name,
            "output": "The trained model is scored elsewhere, on data that is not here.",
            "visibility": "visible",
        })  # fmt: skip
    return tests


def _test(test: GradedTest, message: Message | None, cause: str, name: str) -> Json:
    kept = test.points > 0
    return {
        "number": name.split()[0],
        "name": f"{name}: {test.title}",
        "score": test.points,
        "max_score": test.max_points,
        "status": "passed" if kept else "failed",
        "output": _output(test, message, cause),
        "visibility": "visible" if test.public else HIDDEN_TESTS,
    }


def _output(test: GradedTest, message: Message | None, cause: str) -> str:
    if test.outcome == "PASSED":
        return "passed"
    lines = [TEST_OUTCOMES[test.outcome]] if test.outcome in TEST_OUTCOMES else []
    lines += [cause] if cause else []
    if message is not None:
        facts = [*replace(message, read="").lines(), ("known mistake", test.known_as)]
        facts += [("read", message.read)]
        lines += [f"{label + ':':<14} {shortened(text)}" for label, text in facts if text]
    return "\n".join(lines) or "failed"


def _for_instructors(result: Result) -> Json:
    lost = [test for test in result.tests if test.outcome != "PASSED"]
    layers = ", ".join(f"{name} ({how})" for name, how in result.layers.items())
    lines = [f"outcome {result.outcome}, isolation tier {result.tier or 'none'}: {layers}"]
    lines += [f"SHA-256 of what was handed in: {result.submission.sha256}", f"seed {result.seed}"]
    lines += [
        f"{test.outcome} {test.id} ({number(test.points)} of {number(test.max_points)})"
        f"{f', known mistake {test.bug}' if test.bug else ''}"
        for test in lost
    ]
    return {"name": "For instructors", "output": "\n".join(lines), "visibility": "hidden"}

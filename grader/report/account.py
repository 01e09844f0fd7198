"""One grade accounted for: how its total is added up, and what each exercise got, test by test."""

from collections.abc import Sequence
from typing import Any

from grader.checking.messages import Message
from grader.course.assignment import Assignment

from ..gradebook.exercise_result import ExerciseResult, GradedTest
from ..gradebook.result import Result
from .plain_text import cleaned, counted, listed, number, shortened, wrapped
from .sentences import (
    TEST_OUTCOMES,
    cause_sentence,
    held_sentence,
    model_sentences,
    sign_of,
)


def account(
    result: Result, assignment: Assignment, exercises: Sequence[str] | None = None
) -> dict[str, Any]:
    """The grade as data: `sum` (the lines that make the total), `exercises` (in full), `lateness`.

    `exercises` limits those that are listed; the sum is always that of all.
    """
    totals = result.totals
    late = result.lateness(assignment)
    return {
        "student": result.student,
        "assignment": result.assignment,
        "outcome": result.outcome,
        "reason": result.reason,
        "graded_at": result.graded_at,
        "sum": [
            {"what": "automatic", "points": totals.automatic, "of": totals.automatic_max},
            {"what": "manual", "points": totals.manual, "of": totals.manual_max},
            {"what": "bonus", "points": totals.bonus, "of": None},
            {"what": "late penalty", "points": -totals.late_penalty, "of": None},
            {"what": "total", "points": totals.total, "of": totals.max},
        ],
        "manual_pending": totals.manual_pending,
        "held": [mark.as_json() for mark in result.held],
        "comment": result.comment,
        "lateness": late.sentence,
        "exercises": [
            _exercise(entry, result)
            for entry in result.exercises
            if exercises is None or entry.id in exercises
        ],
    }


def text(result: Result, assignment: Assignment, exercises: Sequence[str] | None = None) -> str:
    """The same for the terminal; without `exercises`, those without a failed test take one line."""
    result = cleaned(result)
    facts = account(result, assignment, exercises)
    lines = [f"{result.student}, {result.assignment}: {result.outcome}"]
    if result.reason:
        lines += wrapped(result.reason, 2)
    lines.append("")
    for line in facts["sum"]:
        of = f" of {number(line['of'])}" if line["of"] is not None else ""
        excused = line["what"] == "total" and result.totals.excused
        points = "excused" if excused else number(line["points"])
        if line["points"] or line["of"]:
            lines.append(f"  {line['what']:<14}{points:>8}{of}")
    if facts["manual_pending"]:
        lines.append(f"  {counted(facts['manual_pending'], 'part')} not marked yet")
    for mark in result.held:
        lines += wrapped(held_sentence(mark), 2)
    if result.comment:
        lines += wrapped(f"comment: {result.comment}", 2)
    lines += wrapped(facts["lateness"], 2)
    shown = {entry["id"] for entry in facts["exercises"]}
    for entry in result.exercises:
        if entry.id in shown:
            failed = entry.status != "full" or any(t.outcome != "PASSED" for t in entry.tests)
            by_hand = any(override.exercise == entry.id for override in result.overrides)
            whole = exercises is not None or failed or by_hand
            lines += ["", *_lines(entry, result, whole)]
    return "\n".join(lines)


def _exercise(entry: ExerciseResult, result: Result) -> dict[str, Any]:
    override = next((o for o in result.overrides if o.exercise == entry.id), None)
    return {
        **entry.as_json(),
        "override": override.as_json() if override else None,
        "cause_sentence": cause_sentence(entry, result),
        "model_sentences": model_sentences(entry),
    }


def _lines(entry: ExerciseResult, result: Result, whole: bool) -> list[str]:
    override = next((o for o in result.overrides if o.exercise == entry.id), None)
    bonus = ", bonus" if entry.bonus else ""
    earned = f"{number(entry.points)} of {number(entry.max_points)} points"
    lines = [f"{entry.id} {entry.title}: {earned} ({entry.status}{bonus})"]
    if override is not None:
        said = f": {override.comment}" if override.comment else ""
        was = f"changed by hand from {number(override.was)} to {number(override.points)}{said}"
        lines += wrapped(was, 2)
    elif entry.comment:
        lines += wrapped(f"comment: {entry.comment}", 2)
    if not whole:
        return lines
    for sentence in [cause_sentence(entry, result), *model_sentences(entry)]:
        lines += wrapped(sentence, 2)
    for part in entry.parts:
        said = f": {part.comment}" if part.comment else ""
        earned = f"{number(part.points)} of {number(part.max_points)}"
        lines += wrapped(f"{part.id} {part.title} ({earned}){said}", 2)
        for one in part.rubric:
            lines += wrapped(f"{'✓' if one.met else '✗'} {one.text}", 4)
    for test in entry.tests:
        lines += [] if test.failed else _test(test, "", test.message or Message())
    for found in entry.failures:
        several = len(found.tests) > 1
        for name, said in _facts(found.label, found.shared) if several else ():
            lines += wrapped(f"{name}: {said}", 2) if said else []
        for test, own in found.tests:
            lines += _test(test, found.label, own if several else found.shared)
    return lines


def _test(test: GradedTest, label: str, message: Message) -> list[str]:
    earned = f"{number(test.points)} of {number(test.max_points)}"
    kept = ""
    if test.carried_through:
        kept = f"; points kept: it passes with a correct {listed(test.caused_by)}"
    kind = TEST_OUTCOMES.get(test.outcome, "")
    facts = f"{kind + '; ' if kind else ''}{'visible' if test.public else 'hidden'}{kept}"
    lines = wrapped(f"{sign_of(test)} {earned:<13} {test.title} ({facts})", 2)
    if test.outcome != "PASSED":
        known = f"{test.known_as} [{test.bug}]".lstrip() if test.bug else ""
        for name, said in _facts(label, message, known):
            lines += wrapped(f"{name}: {shortened(said, 300)}", 8) if said else []
    return lines


def _facts(label: str, message: Message, known: str = "") -> list[tuple[str, str]]:
    """The parts of a message, named; `label`: that of the cause, `known`: the named mistake."""
    parts = [(label, message.cause), ("known mistake", known)]
    return [*parts, ("expected", message.expected), ("got", message.got)]

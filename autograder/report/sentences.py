"""What an outcome means, in plain sentences for the person whose work it is about."""

from __future__ import annotations

from ..gradebook.exercise_result import ExerciseResult
from ..gradebook.result import Result
from ..gradebook.totals import UNGRADED, WITHOUT_POINTS
from .plain_text import counted, listed

# Shown as sign and word together: colour is never the only difference.
STATUS_SIGNS = {
    "full": "✓",
    "partial": "◐",
    "zero": "✗",
    "not written": "○",
    "pending": "…",
    "partly marked": "◐",
    "marked": "✓",
}

OUTCOME_MEANINGS = {
    "GRADED": "read, run and graded to the end",
    "LOAD_ERROR": "a part of the notebook could not be loaded",
    "TIMEOUT": "a call took longer than it may",
    "OOM": "a call needed more memory than it may",
    "CRASHED": "the process that ran the code ended before it answered",
    "POLICY": "something was used that the exercise asks to be written",
    "INVALID": "the file could not be read as a notebook",
    UNGRADED: "the grader failed, not the notebook: to be graded again",
}

TEST_OUTCOMES = {
    "TIMEOUT": "took too long",
    "OOM": "ran out of memory",
    "CRASHED": "process ended",
    "LOAD_ERROR": "not loaded",
    "MISSING": "not found",
    "NOT_WRITTEN": "not written",
    "POLICY": "not allowed here",
    "PROTOCOL": "answer not readable",
}

TIER_MEANINGS = {
    "A": "namespaces, another user, Landlock, seccomp and limits",
    "B": "an unprivileged user namespace, Landlock, seccomp and limits",
    "C": "Landlock, seccomp and limits",
    "D": "limits only: for submissions that are trusted",
    "": "not run, because the file could not be read",
}

_CONSEQUENCES = {
    "LOAD_ERROR": "A part of your notebook could not be loaded, so the exercises that need it "
    "could not be tried. Everything that did load was graded as usual.",
    "TIMEOUT": "Your code was asked for an answer and was still working when the time was up. "
    "Only the tests that waited in vain lose points; all the others count.",
    "OOM": "Your code asked for more memory than there is for one submission. Only the tests in "
    "which that happened lose points; all the others count.",
    "CRASHED": "Your code ended the process it ran in. It was started again for the next test, so "
    "only the tests in which that happened lose points.",
    "POLICY": "An exercise asks you to write something yourself, and a ready-made version was "
    "used. Only that exercise loses points; this says nothing about your intentions.",
}


def outcome_sentence(result: Result) -> str:
    """What happened, for a worried student."""
    tests, kind = result.tests, result.outcome
    earned = sum(test.points > 0 for test in tests)
    if kind == UNGRADED:
        return (
            "Nothing is known about your notebook yet: the grader failed, through no fault of "
            "yours. It will be graded again, and this page will then show your points."
        )
    if kind == "INVALID" or not tests:
        return (
            "Nothing could be graded, because what we received is not a notebook that can be "
            "read. This is about the file, not about your work: open the notebook, save it, and "
            "hand it in again, or ask your instructor."
        )
    if all(e.status == "not written" for e in result.exercises if e.kind == "code"):
        return (
            "Your notebook was read, and no exercise is written in it. If you did write some, it "
            "may not have been saved before it was handed in."
        )
    passed = f"{earned} of {counted(len(tests), 'test')} earned their points."
    if kind == "GRADED":
        return f"Your notebook was read, run and graded to the end: {passed}"
    return f"{_CONSEQUENCES[kind]} In all, {passed}"


def cause_sentence(exercise: ExerciseResult) -> str:
    """Whose fault a failure is, where it is an earlier exercise's."""
    if not exercise.caused_by:
        return ""
    names = listed(exercise.caused_by)
    if exercise.carried_through:
        several = len(exercise.caused_by) > 1
        replaced = "are replaced by correct ones" if several else "is replaced by a correct one"
        return (
            f"Probably caused by {names}. Carried through: tests that failed here pass once "
            f"{names} {replaced}, so their points are kept."
        )
    return f"Probably caused by {names}: look there first."


def main_cause(result: Result) -> str:
    """Where most points were lost and why, in at most 120 characters; "" where nothing was."""
    cause = _cause(result)
    return cause if len(cause) <= 120 else f"{cause[:119]}…"


def _cause(result: Result) -> str:
    if result.outcome in WITHOUT_POINTS:
        return result.reason
    code = [e for e in result.exercises if e.tests and not e.bonus]
    written = [e for e in code if e.status != "not written"]
    if code and not written:
        return "nothing is written"
    lost = [e for e in written if _lost(e) > 0]
    if not lost:
        missing = [e.id for e in code if e.status == "not written"]
        return f"not written: {', '.join(missing)}" if missing else ""
    worst = max(lost, key=_lost)
    return f"{worst.id}: {_why(worst)}"


def _lost(exercise: ExerciseResult) -> float:
    return exercise.max_points - (exercise.points or 0)


def _why(exercise: ExerciseResult) -> str:
    failed = [test for test in exercise.tests if not test.points]
    for test in failed:
        if test.bug_title:
            return test.bug_title
        if test.outcome in TEST_OUTCOMES:
            named = TEST_OUTCOMES[test.outcome]
            if test.message and test.outcome in ("LOAD_ERROR", "POLICY"):
                return f"{named}: {test.message.got}"
            return named
    causes = (test.message.cause for test in failed if test.message and test.message.seen)
    return next(filter(None, causes), failed[0].title if failed else "by hand")

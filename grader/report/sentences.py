"""Explains each outcome in plain sentences for the student."""

from ..gradebook.answers import WHOLE
from ..gradebook.exercise_result import ExerciseResult, GradedTest, ModelResult
from ..gradebook.result import Held, Result
from ..gradebook.totals import UNGRADED, WITHOUT_POINTS
from .plain_text import counted, listed, number

# Shown together with the word: color is never the only difference.
STATUS_SIGNS = {
    "full": "✓",
    "partial": "◐",
    "zero": "✗",
    "not written": "○",
    "pending": "…",
    "partly marked": "◐",
    "marked": "✓",
}

_TEST_SIGNS = {"PASSED": "✓", "WAITING": "○"}

OUTCOME_MEANINGS = {
    "GRADED": "read, run and graded in full",
    "LOAD_ERROR": "a part of the notebook could not be loaded",
    "TIMEOUT": "a call exceeded its time limit",
    "OOM": "a call exceeded its memory limit",
    "CRASHED": "the process that ran the code ended before it answered",
    "POLICY": "the code used a ready-made version of what the exercise asks for",
    "INVALID": "the file could not be read as a notebook",
    UNGRADED: "the grader failed, not the notebook: run the grading again",
}

TEST_OUTCOMES = {
    "TIMEOUT": "took too long",
    "OOM": "ran out of memory",
    "CRASHED": "process ended",
    "LOAD_ERROR": "not loaded",
    "MISSING": "not found",
    "NOT_WRITTEN": "not written",
    "POLICY": "not allowed here",
    "PROTOCOL": "unreadable answer",
    "BROKEN": "the test itself failed",
    "WAITING": "waits for another test",
}

TIER_MEANINGS = {
    "A": "namespaces, another user, Landlock, seccomp and limits",
    "B": "an unprivileged user namespace, Landlock, seccomp and limits",
    "C": "Landlock, seccomp and limits",
    "D": "limits only, for trusted submissions",
    "": "not run, because the file could not be read",
}

_CONSEQUENCES = {
    "LOAD_ERROR": "A part of your notebook could not be loaded, so the exercises that need it "
    "could not be tested. Everything that did load was graded as usual.",
    "TIMEOUT": "Your code was still working when the time limit was reached. Only the tests in "
    "which that happened lose points; all the others count.",
    "OOM": "Your code needed more memory than one submission may use. Only the tests in which "
    "that happened lose points; all the others count.",
    "CRASHED": "Your code ended the process it ran in. The process was restarted for the next "
    "test, so only the tests in which that happened lose points.",
    "POLICY": "An exercise asks you to write something yourself, and a ready-made version was "
    "used. Only that exercise loses points; this says nothing about your intentions.",
}


def outcome_sentence(result: Result) -> str:
    """A sentence on the submission as a whole, and on how many tests earned points."""
    tests, kind = result.tests, result.outcome
    earned = sum(test.points > 0 for test in tests)
    if kind == UNGRADED:
        return (
            "Your notebook has not been graded yet: the grader failed, through no fault of yours. "
            "It will be graded again, and this page will then show your points."
        )
    if kind == "INVALID" or not tests:
        return (
            "Nothing could be graded, because the file we received cannot be read as a notebook. "
            "This is about the file, not about your work: open the notebook, save it, and hand it "
            "in again, or ask your instructor."
        )
    if result.untouched:
        return (
            "Your notebook was read, but no exercise is written in it. If you did write some, the "
            "notebook may not have been saved before you handed it in."
        )
    passed = f"{earned} of {counted(len(tests), 'test')} earned their points."
    if result.outcome == "GRADED" and result.untested:
        return (
            f"Your notebook was read and run: {passed} Exercise {listed(result.untested)} will be "
            "graded again, because a test of it failed through no fault of yours."
        )
    if kind == "GRADED" and result.provisional:
        return (
            f"Your notebook was read and run: {passed} After the last late day, points are added "
            "where a mistake in an earlier exercise explains a failure."
        )
    if kind == "GRADED":
        return f"Your notebook was read, run and graded in full: {passed}"
    return f"{_CONSEQUENCES[kind]} In total, {passed}"


def cause_sentence(exercise: ExerciseResult, result: Result) -> str:
    """Which earlier exercises to repair first, as failures in this one come from them; or ""."""
    before = {e.id: e for e in result.exercises}
    lost = {id for id, e in before.items() if any(not test.points for test in e.tests)}

    def roots(id: str) -> list[str]:
        further = before[id].caused_by if id in before and id not in lost else []
        return [root for one in further for root in roots(one)] or [id]

    found = list(dict.fromkeys(root for id in exercise.caused_by for root in roots(id)))
    failing, others = ([id for id in found if (id in lost) is wrong] for wrong in (True, False))
    sentences = []
    if failing:
        fail, it = ("fail", "them") if len(failing) > 1 else ("fails", "it")
        sentences.append(f"{listed(failing)} {fail}: repair {it} first.")
    if exercise.may_gain:
        others, more = [], f"Up to {number(exercise.may_gain)} points more"
        cause = f"a mistake in {listed(found)}" if found else "an earlier part"
        sentences.append(f"{more} after the last late day, if {cause} explains these failures.")
    if found and exercise.carried_through:
        form = "correct forms of" if len(found) > 1 else "a correct"
        sentences.append(f"Tests that pass with {form} {listed(found)} keep their points.")
    if others:
        it = listed(others) if failing else "them" if len(others) > 1 else "it"
        its = "their" if len(others) > 1 else "its"
        sentences.append(f"Look at {it} again, although {its} own tests pass.")
    return " ".join(sentences)


def sign_of(test: GradedTest) -> str:
    return "↷" if test.carried_through else _TEST_SIGNS.get(test.outcome, "✗")


def main_cause(result: Result) -> str:
    """Where and why most points were lost, in at most 120 characters; "" if none were lost."""
    cause = _cause(result)
    return cause if len(cause) <= 120 else f"{cause[:119]}…"


def _cause(result: Result) -> str:
    if result.outcome in WITHOUT_POINTS:
        return result.reason
    if result.untouched:
        return "untouched notebook"
    code = [e for e in result.exercises if e.tests and not e.bonus]
    written = [e for e in code if e.status != "not written"]
    scored = [e for e in result.exercises if e.model is not None and not e.bonus]
    lost = [e for e in [*written, *scored] if _lost(e) > 0]
    if not lost:
        missing = [e.id for e in code if e.status == "not written"]
        return f"not written: {', '.join(missing)}" if missing else ""
    worst = max(lost, key=_lost)
    return f"{worst.id}: {why(worst)}"


def _lost(exercise: ExerciseResult) -> float:
    return 0.0 if exercise.status == "pending" else exercise.max_points - (exercise.points or 0)


def why(exercise: ExerciseResult) -> str:
    """Why points of a code exercise or of a trained model were lost, in a few words."""
    if exercise.model is not None:
        return shortfall(exercise.model)
    failed = [test for test in exercise.tests if test.failed]
    for test in failed:
        if test.bug_title:
            return test.bug_title
        if test.outcome in TEST_OUTCOMES:
            named = TEST_OUTCOMES[test.outcome]
            if test.message and test.outcome in ("LOAD_ERROR", "POLICY"):
                return f"{named}: {test.message.got}"
            return named
    causes = (test.message.cause for test in failed if test.message and test.message.seen)
    return next(filter(None, causes), failed[0].title if failed else "changed manually")


PENDING = "The model has not been scored yet: this grading ran without the hidden labels."
EITHER = (
    "Perhaps the model was trained with a mistake in one of your own components, or with another "
    "architecture or search; or the answers do not come from the weights."
)
HAND_IN = "Hand in the folder `submission` that the notebook writes, next to the notebook."


def model_sentences(exercise: ExerciseResult) -> list[str]:
    """For an exercise of the kind "model"; empty for any other."""
    if exercise.kind != "model":
        return []
    model = exercise.model
    if model is None:
        return [PENDING]
    in_words = model.unit_in_words or model.measure
    scale = (
        f"Points rise linearly from zero at {model.zero_at:g} {in_words} to the maximum at "
        f"{model.full_at:g} {in_words.split()[0]}."
    )
    if model.score is None:
        advice = [] if model.handed_in else [HAND_IN]
        none = [] if model.held else [f"No points for the model: {model.problem}."]
        return [*none, *_dispute(exercise, model), *advice, scale]
    first, *more = model.told or [  # older grades do not say
        f"Your model reaches {model.score:.1f} ({model.measure}) on {model.recomputed:,} of "
        f"{model.examples:,} sentences, whose answers it never saw."
    ]
    notes = (f"{note[0].upper()}{note[1:]}." for note in model.notes)
    return [f"{first} {scale}", *_dispute(exercise, model), *more, *notes]


def _dispute(exercise: ExerciseResult, model: ModelResult) -> list[str]:
    """Why the score is that of the student's code, and what that means for the points."""
    if not model.disputed:
        return []
    unit = model.unit or model.measure
    by = {"your code": model.score, "its weights": model.by_weights}
    reached = [f"by {who} {score:.1f} {unit}" for who, score in by.items() if score is not None]
    scores = f"the model reaches {', '.join(reached)}"
    if model.score is None:
        scores += f" ({model.problem})"
    ends = "The points are the same either way."
    if model.held:
        ends = "Your instructor has decided which counts."
        if exercise.points is None:
            ends = f"Your points wait for your instructor. {EITHER}"
    why = f"{model.disputed[0].upper()}{model.disputed[1:]}"
    return [f"{why}: {scores}. {ends}", *(f"{one}." for one in model.differing)]


def shortfall(model: ModelResult) -> str:
    """Why the model has not all points, in a few words."""
    if model.score is None:
        return model.problem
    unit = model.unit or model.measure
    return f"the model reaches {model.score:.1f} {unit}, all points take {model.full_at:g}"


def held_sentence(mark: Held) -> str:
    """A sentence with the earlier mark, which waits for a person."""
    what = mark.item if mark.item != WHOLE else "the whole assignment"
    was = "a comment" if mark.points is None else f"{number(mark.points)} points"
    by = f" by {mark.marker}" if mark.marker else ""
    said = f" (“{mark.comment}”)" if mark.comment else ""
    return f"{what}: {was}{by}{said} held, because the answer has changed since: mark it again"

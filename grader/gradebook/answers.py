"""The answer that a manual mark belongs to: the hash of an answer, and who handed it in together.

The answer to a written part is what the student wrote: its text and its pictures, that is, those
pasted into it and the code that drew others beside it. Outputs of code are shown to whoever marks
but do not count: a notebook that is run again has the same answers. A text names a picture pasted
into it by its hash; without other pictures, the hash of an answer is that of its text alone.

An override of an exercise's points and a comment on the whole assignment were given for all that
was handed in, so their hash is that of the submission.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping

from .exercise_result import ExerciseResult, PartResult
from .result import Result
from .totals import UNGRADED, WITHOUT_POINTS

WHOLE = ""  # the item of a comment on the whole assignment
_SHOWN = 12  # digits of a hash that a list shows
_NUMBER = re.compile(r"\d*(e\d*)?")


def beginning(sha256: str) -> str:
    """The beginning of a hash for a list; no spreadsheet takes it for a number, as 12e4."""
    number = _NUMBER.match(sha256)
    assert number is not None
    return sha256[: max(_SHOWN, number.end() + 1)]


def sha256_of_text(answer: str) -> str:
    """The hash of a written answer; blank lines, how lines end and space around do not matter."""
    text = "\n".join(line for line in answer.splitlines() if line.strip()).strip()
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def sha256_of_part(part: PartResult) -> str:
    """The hash of a written answer with its pictures, if there are any."""
    text = sha256_of_text(part.answer)
    return sha256_of_text(f"{text} {part.pictures}") if part.pictures else text


NO_ANSWER = sha256_of_text("")


def sha256_of(result: Result | None, item: str) -> str | None:
    """The hash of what `item` is marked for; None if the grader failed, so that nobody knows.

    Without a result it is that of an empty answer: a mark given then is for no answer.
    """
    if result is None:
        return NO_ANSWER
    if result.outcome == UNGRADED:
        return None
    if item == WHOLE or any(e.id == item and not e.parts for e in result.exercises):
        return result.submission.sha256
    part = next((part for part in result.parts if part.id == item), None)
    return sha256_of_part(part) if part else NO_ANSWER


def parts_of(result: Result) -> list[PartResult]:
    """The parts that a person marks: written ones, and the trained models whose points wait."""
    held = [e for e in result.exercises if e.model is not None and e.model.held]
    return [*result.parts, *(_held_part(exercise, result.submission.sha256) for exercise in held)]


def _held_part(exercise: ExerciseResult, sha256: str) -> PartResult:
    """A model as a part whose answer says why its points wait; no two are marked as alike."""
    model = exercise.model
    assert model is not None

    def reached(score: float | None) -> str:
        if score is None or model.zero_at is None or model.full_at is None:
            return f"nothing ({model.problem or 'no score'})"
        share = (score - model.zero_at) / (model.full_at - model.zero_at)
        points = min(max(share, 0.0), 1.0) * exercise.max_points
        return f"{score:.1f} {model.unit or model.measure}, {points:.2f} points"

    lines = [
        f"{model.disputed}.",
        f"By the student's code: {reached(model.score)}.",
        f"By the weights: {reached(model.by_weights)}.",
        *model.differing,
    ]
    facts = exercise.model_dump(include={"id", "title", "max_points", "points", "comment"})
    text = "\n\n".join(lines)
    return PartResult(**facts, answer=text, words=0, word_limit=0, printed=sha256)


def text_of(result: Result, item: str) -> str:
    """The text of what is marked; "" for a comment on the whole, or an exercise's points."""
    return next((part.answer for part in parts_of(result) if part.id == item), "")


def groups(results: Iterable[Result]) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """By student and assignment, everybody who handed in the very same file, sorted.

    Only a group on a learning platform does: a copy has a path of its own.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    kept = [r for r in results if r.submission.file and r.outcome not in WITHOUT_POINTS]
    for result in kept:
        facts = result.submission
        found.setdefault((result.assignment, facts.file, facts.sha256), []).append(result.student)
    return {
        (student, assignment): tuple(sorted(members))
        for (assignment, _, _), members in found.items()
        if len(members) > 1
        for student in members
    }

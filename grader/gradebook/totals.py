"""The sums of one result: automatic, manual, bonus, penalty, total."""

from collections.abc import Iterable, Sequence

from .exercise_result import ExerciseResult, Number, Record
from .lateness import Lateness

UNGRADED = "UNGRADED"  # the grader failed, not the submission: points unknown rather than zero
INVALID = "INVALID"  # the file could not be read as a notebook
WITHOUT_POINTS = (INVALID, UNGRADED)  # no exercise was graded


class Totals(Record):
    """`manual` is None while no written part is marked; `automatic` and `total` if ungraded.

    `manual_pending`: written parts, and exercises of a trained model, that wait for a person.

    `total` is also None for an excused student, whose other points are still told.

    A bonus exercise, code or written, counts only as `bonus`, and not toward `max`.
    """

    automatic: Number | None = None
    automatic_max: Number = 0
    manual: Number | None = None
    manual_max: Number = 0
    manual_pending: int = 0
    bonus: Number = 0
    total: Number | None = None
    max: Number = 0
    late_days: int = 0
    late_penalty: Number = 0
    excused: bool = False


def add_up(
    exercises: Sequence[ExerciseResult],
    outcome: str,
    late: Lateness,
) -> Totals:
    """The totals of these exercises, for a submission that is so late."""
    regular = [e for e in exercises if not e.bonus]
    machine = [e for e in regular if e.kind != "written"]
    written = [e for e in regular if e.kind == "written"]
    unread = outcome == INVALID  # nothing in it to mark
    marked = unread or any(part.points is not None for e in written for part in e.parts)
    automatic, manual = _sum(e.points for e in machine), _sum(e.points for e in written)
    bonus = _sum(e.points for e in exercises if e.bonus)
    earned = automatic + manual + bonus
    penalty = late.penalty(earned)
    graded = outcome != UNGRADED
    counted = graded and not late.excused
    return Totals(
        automatic=automatic if graded else None,
        automatic_max=_sum(e.max_points for e in machine),
        manual=manual if marked else None,
        manual_max=_sum(e.max_points for e in written),
        manual_pending=0 if unread else sum(map(_waiting, exercises)),
        bonus=bonus,
        total=round(earned - penalty, 2) if counted else None,
        max=_sum(e.max_points for e in regular),
        late_days=late.days,
        late_penalty=penalty,
        **({"excused": True} if late.excused else {}),
    )


def _waiting(exercise: ExerciseResult) -> int:
    """How many of its points wait for a person: parts to mark, or a model's that are held."""
    held = exercise.model is not None and exercise.model.held and exercise.points is None
    return held + sum(part.points is None for part in exercise.parts)


def _sum(points: Iterable[Number | None]) -> Number:
    return round(sum(float(value or 0) for value in points), 2)

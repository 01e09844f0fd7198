"""The arithmetic of a course grade: weights, groups, the best of a group, caps, extra credit.

Everything is exact (fractions); only what is shown is rounded. What a student is excused from is
left out, and its weight is shared among the rest of its group in proportion to their weights.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from grader.course.grading import Grading, Group

State = Literal["counts", "dropped", "excused", "weight 0", "extra credit"]


@dataclass(frozen=True)
class Part:
    """An assignment, component or group in one student's grade, in percent.

    `share` is what it counts of the course grade, after dropping and sharing.
    """

    id: str
    percent: Fraction | None  # None: excused
    share: Fraction = Fraction(0)
    state: State = "excused"
    parts: "tuple[Part, ...]" = ()
    capped: bool = False

    @property
    def gives(self) -> Fraction:
        """Its contribution to the course grade; the items of a capped group add less in the end."""
        return self.share * (self.percent or 0) / 100


@dataclass(frozen=True)
class CourseTotal:
    """`percent` is None if the student is excused from everything."""

    percent: Fraction | None
    parts: tuple[Part, ...]
    capped: bool = False


def course_total(
    grading: Grading, assignments: Mapping[str, float], marks: Mapping[str, Fraction | None]
) -> CourseTotal:
    """One student's total. `marks`: percent of every assignment and component; None: excused."""
    weights = {id: exact(weight) for id, weight in grading.weights(assignments).items()}
    made = {id: Part(id, mark) for id, mark in marks.items()}
    for group in grading.groups:  # a group comes after the groups it names
        made[group.id] = _group(group, [made[id] for id in group.items], weights)
    alone = [made[id] for id in grading.standing_alone(assignments)]
    percent, counted = _mean(alone, alone, weights)
    more = tuple(
        replace(made[entry.id], share=weights[entry.id], state="extra credit")
        for entry in grading.declared
        if entry.extra_credit and made[entry.id].percent is not None
    )
    parts = tuple(_scaled(part, Fraction(100)) for part in (*counted, *more))
    if percent is None:
        return CourseTotal(None, parts)
    percent += sum(part.gives for part in more)
    cap = exact(grading.cap_percent)
    return CourseTotal(min(percent, cap), parts, percent > cap)


def exact(value: float) -> Fraction:
    """The decimal that is written, not its nearest binary fraction: 0.1 is a tenth."""
    return Fraction(str(value))


def rounded(value: Fraction) -> float:
    """To two decimals, halves upward."""
    return math.floor(value * 100 + Fraction(1, 2)) / 100


def _group(group: Group, parts: Sequence[Part], weights: Mapping[str, Fraction]) -> Part:
    present = [part for part in parts if part.percent is not None and weights[part.id]]
    kept = _best(present, weights, group.keeps(len(present)))
    percent, shared = _mean(parts, kept, weights)
    cap = None if group.cap_percent is None else exact(group.cap_percent)
    if percent is None or cap is None or percent <= cap:
        return Part(group.id, percent, parts=shared)
    return Part(group.id, cap, parts=shared, capped=True)


def _mean(
    parts: Sequence[Part], kept: Sequence[Part], weights: Mapping[str, Fraction]
) -> tuple[Fraction | None, tuple[Part, ...]]:
    """The weighted mean of `kept`, and all parts with their share of it in percent."""
    ids = {part.id for part in kept if part.percent is not None}
    whole = sum((weights[id] for id in ids), Fraction(0))
    mean, stated = Fraction(0), []
    for part in parts:
        share, state = Fraction(0), _left_out(part, weights)
        if part.id in ids and weights[part.id]:
            share, state = 100 * weights[part.id] / whole, "counts"
            mean += share * (part.percent or 0) / 100
        stated.append(replace(part, share=share, state=state))
    return (mean if whole else None), tuple(stated)


def _left_out(part: Part, weights: Mapping[str, Fraction]) -> State:
    if part.percent is None:
        return "excused"
    return "dropped" if weights[part.id] else "weight 0"


def _best(parts: list[Part], weights: Mapping[str, Fraction], k: int) -> list[Part]:
    """The k parts with the highest weighted mean.

    With unequal weights these are not always those with the highest percent, and only this choice
    never punishes better work. Dinkelbach's method: the k furthest above a mean raise it, until
    none do.
    """
    chosen, mean = parts[:k], Fraction(-1)
    while k and (reached := _mean(chosen, chosen, weights)[0] or Fraction(0)) > mean:
        mean = reached

        def above(part: Part, mean: Fraction = mean) -> Fraction:
            return weights[part.id] * ((part.percent or 0) - mean)

        chosen = sorted(parts, key=above, reverse=True)[:k]
    return chosen


def _scaled(part: Part, whole: Fraction) -> Part:
    """The part with shares of the course grade instead of its group."""
    share = part.share * whole / 100
    return replace(part, share=share, parts=tuple(_scaled(inner, share) for inner in part.parts))

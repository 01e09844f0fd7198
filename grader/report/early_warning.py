"""Lists students who may need help: plain rules over all assignments, each with its reason.

The rules see results only, no clock: running them again gives the same list.
"""

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..classroom.roster import Roster
from ..gradebook.result import Result
from ..gradebook.totals import UNGRADED
from .plain_text import listed, percent

LOW = 0.5  # of the marked points, in the newest assignment
FALL = 0.2  # below the mean of the earlier ones, as a share of the points
MOST = 0.5  # of the class handed an assignment in: then it is missing for the others

RULES = (
    f"missing: no submission for an assignment that {percent(MOST)} of the class or more handed in",
    "unreadable: the file that counts could not be read",
    f"low: less than {percent(LOW)} of the points in the newest assignment they handed in",
    f"falling: the newest share is at least {FALL * 100:.0f} percentage points below the mean of "
    "their earlier ones",
)


@dataclass(frozen=True)
class StudentAtRisk:
    """A student, the share of points in each assignment handed in, and the reasons in words."""

    student: str
    shares: Mapping[str, float]
    reasons: Sequence[str]
    urgency: int = 0  # the number of reasons, each missing or unreadable assignment counted


def warnings(
    results: Sequence[Result], assignments: Sequence[str], roster: Roster
) -> list[StudentAtRisk]:
    """Students whom a rule of `RULES` finds; most urgent first, then the lowest newest share.

    `assignments` are all ids in the order of the course.
    """
    by_student: dict[str, dict[str, Result]] = {student: {} for student in roster.students}
    for result in results:
        by_student.setdefault(result.student, {})[result.assignment] = result
    expected = [
        id
        for id in assignments
        if (handed_in := sum(id in own for own in by_student.values()))
        and handed_in >= MOST * len(by_student)
    ]
    found = [
        _warned(student, own, assignments, _without_excused(expected, student, roster))
        for student, own in by_student.items()
    ]
    return sorted((w for w in found if w.reasons), key=_order)


def share(result: Result) -> float | None:
    """The earned part of the points that are marked, without bonus and before any penalty.

    0 for a file that could not be read; None if nothing is marked, the student is excused, or
    the grader failed.
    """
    if result.outcome == UNGRADED or result.totals.excused:
        return None
    regular = [e for e in result.exercises if not e.bonus]
    pairs = [(e.points, e.max_points) for e in regular if e.kind != "written"]
    pairs += [(p.points, p.max_points) for e in regular for p in e.parts]
    marked = [(points, most) for points, most in pairs if points is not None]
    available = sum(most for _, most in marked)
    return sum(points for points, _ in marked) / available if available else None


def _without_excused(expected: Sequence[str], student: str, roster: Roster) -> list[str]:
    return [id for id in expected if not roster.terms(student, id).excused]


def _warned(
    student: str, own: Mapping[str, Result], assignments: Sequence[str], expected: Collection[str]
) -> StudentAtRisk:
    missing = [id for id in assignments if id in expected and id not in own]
    broken = [id for id in assignments if id in own and own[id].outcome == "INVALID"]
    shares = {
        id: value
        for id in assignments
        if id in own and id not in broken and (value := share(own[id])) is not None
    }
    reasons = [f"missing: {listed(missing)}"] if missing else []
    reasons += [f"unreadable: {listed(broken)}"] if broken else []
    if shares:
        *earlier, newest = shares
        if shares[newest] < LOW:
            reasons.append(f"low: {percent(shares[newest])} in {newest}")
        before = statistics.fmean(shares[id] for id in earlier) if earlier else 0.0
        if round(before - shares[newest], 9) >= FALL:
            reasons.append(
                f"falling: {percent(shares[newest])} in {newest}, {percent(before)} before"
            )
    grouped = len([names for names in (missing, broken) if names])
    urgency = len(missing) + len(broken) + len(reasons) - grouped
    return StudentAtRisk(student, shares, reasons, urgency)


def _order(warned: StudentAtRisk) -> tuple[int, float, str]:
    newest = list(warned.shares.values())[-1] if warned.shares else 0.0
    return -warned.urgency, newest, warned.student

"""Late days and what they cost, from the time of receipt and `course.toml` alone.

Every day begun after the due time counts: one second late is one day. Each costs
`late_penalty_percent` of the earned points, so a penalty never makes a total negative. After the
last allowed day (`late_days`) the penalty is all points; the report still shows what was earned.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_lib.course.syllabus import Assignment

_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Lateness:
    """How late, and the share of the earned points (0 to 100 percent) that it costs."""

    days: int
    percent: float
    sentence: str

    def penalty(self, points: float) -> float:
        """The points to deduct from `points`."""
        return round(points * self.percent / 100, 2)


def moment(text: str) -> datetime.datetime:
    """Parse an ISO time; without a time zone, it is UTC."""
    when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return when if when.tzinfo else when.replace(tzinfo=datetime.timezone.utc)


def written(when: datetime.datetime) -> str:
    """8 February 2027, 23:59 UTC: the same on every machine and in every locale."""
    utc = when.astimezone(datetime.timezone.utc)
    months = "January February March April May June July August September October November December"
    return f"{utc.day} {months.split()[utc.month - 1]} {utc.year}, {utc:%H:%M} UTC"


def lateness(received: str | None, assignment: Assignment) -> Lateness:
    """How late a submission is; `received` is an ISO time, or None if unknown (then: not late)."""
    if received is None:
        return Lateness(0, 0.0, "The time of receipt is unknown, so nothing is deducted.")
    came, due = moment(received), assignment.due
    if came <= due:
        return Lateness(0, 0.0, f"Received {written(came)}, on time (due {written(due)}).")
    days = math.ceil((came - due) / _DAY)
    late = f"Received {written(came)}, {_days(days)} late (due {written(due)})"
    if days > assignment.late_days:
        allowed = _days(assignment.late_days) if assignment.late_days else "no late day"
        reason = f"{late}; the course allows {allowed}, so no points are counted"
        return Lateness(days, 100.0, f"{reason}. The points you earned are still shown.")
    percent = min(100.0, days * assignment.late_penalty_percent)
    return Lateness(days, percent, f"{late}: {percent:g} % of the points are deducted.")


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"

"""Late days and what they cost, from the time of receipt, `course.toml` and a student's terms.

Every day begun after the due time and the grace period counts: one second late is one day. A slip
day covers one of them; every other one costs `late_penalty_percent` of the earned points, so a
penalty never makes a total negative. After the last allowed day (`late_days`) slip days cover
nothing, as answers may be out, and the penalty is all points; the report still shows what was
earned.

Canvas may mark a hand-in as late without saying the time: then it is one day late at least, even if
the date of the file is before the due date, unless the student has a due date of their own.
"""

import datetime
import math

from grader.course.assignment import Assignment
from grader.course.course_facts import LatePolicy

from ..classroom.receipt import CANVAS, CANVAS_LATE, CLOCKS
from ..classroom.terms import Terms
from .exercise_result import Number, Record

_DAY, _MINUTE = datetime.timedelta(days=1), datetime.timedelta(minutes=1)


class Lateness(Record):
    """How late one submission is, and the share of the earned points (0 to 100 %) that it costs."""

    due: str  # ISO time: the student's own due date, if there is one
    days: int = 0  # begun after the due time and the grace period
    slip_days: int = 0  # of these, covered by slip days
    slip_days_left: int = 0  # after this assignment
    percent: Number = 0
    excused: bool = False
    sentence: str = ""

    def penalty(self, points: float) -> float:
        """The points to deduct from `points`."""
        return round(points * self.percent / 100, 2)


def moment(text: str) -> datetime.datetime:
    """Parse an ISO time; without a time zone, it is UTC."""
    when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return when if when.tzinfo else when.replace(tzinfo=datetime.timezone.utc)


def written(
    when: datetime.datetime, zone: datetime.tzinfo = datetime.timezone.utc, seconds: bool = False
) -> str:
    """8 February 2027, 23:59 UTC: the same on every machine and in every locale.

    `zone`: that of the course, in which its people read times.
    """
    local = when.astimezone(zone)
    name = local.tzname() or ""
    name = f"UTC{name}" if name.startswith(("+", "-")) else name  # a zone without a name of its own
    months = "January February March April May June July August September October November December"
    time = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    return f"{local.day} {months.split()[local.month - 1]} {local.year}, {time} {name}"


def written_receipt(
    received: str | None,
    clock: str = "",
    zone: datetime.tzinfo = datetime.timezone.utc,
    seconds: bool = False,
) -> str:
    """The time of receipt and its clock, as in "8 February 2027, 23:59 UTC by the date of …"."""
    if received is None:
        return "unknown"
    by = CLOCKS.get(clock, "")
    return f"{written(moment(received), zone, seconds)}{by and f' {by}'}"


def last_moment(
    due: datetime.datetime, assignment: Assignment, policy: LatePolicy
) -> datetime.datetime:
    """When work that is due at `due` stops counting, and answers may come out."""
    return due + datetime.timedelta(days=assignment.late_days, minutes=policy.grace_minutes)


def lateness(
    received: str | None,
    assignment: Assignment,
    terms: Terms = Terms(),  # noqa: B008  (immutable)
    policy: LatePolicy = LatePolicy(),  # noqa: B008
    slip_days: int = 0,
    clock: str = "",
) -> Lateness:
    """How late a submission is; `received` is an ISO time, or None if unknown (then: not late).

    `slip_days` is what the student has left of them, and `clock` one of CLOCKS.
    """
    due = terms.due_date(assignment)
    late = Lateness(due=due.isoformat(), slip_days_left=slip_days, excused=terms.excused)
    if terms.excused:
        return _stated(late, "Excused: this assignment does not count.")
    if received is None:
        return _stated(late, "The time of receipt is unknown, so nothing is deducted.")
    came = moment(received)
    grace = datetime.timedelta(minutes=policy.grace_minutes)
    over = (came - due - grace) % _DAY
    seconds = came > due and datetime.timedelta(0) < over < _MINUTE  # only they tell the day begun
    by, due_by = (
        written_receipt(received, clock, assignment.zone, seconds),
        written(due, assignment.zone, seconds),
    )
    own = "" if due == assignment.due else ", your own date"
    days = max(0, math.ceil((came - due - grace) / _DAY))
    if clock == CANVAS_LATE and not own:  # Canvas does not know a date of the student's own
        days = max(days, 1)
    elif came <= due or clock == CANVAS:
        return _stated(late, f"Received {by}, on time (due {due_by}{own}).")
    if not days:
        covered = f"within the grace period of {counted(policy.grace_minutes, 'minute')}"
        return _stated(late, f"Received {by}, {covered} (due {due_by}{own}).")
    told = f"Received {by}, {counted(days, 'day')} late (due {due_by}{own})"
    late = late.model_copy(update={"days": days})
    if terms.waived:
        return _stated(late, f"{told}. The lateness is waived, so nothing is deducted.")
    if days > assignment.late_days:
        allowed = counted(assignment.late_days, "day") if assignment.late_days else "no late day"
        reason = f"{told}; the course allows {allowed}, so no points are counted"
        shown = f"{reason}. The points you earned are still shown."
        return _stated(late.model_copy(update={"percent": 100.0}), shown)
    return _charged(late, told, assignment, slip_days)


def _charged(late: Lateness, told: str, assignment: Assignment, slip_days: int) -> Lateness:
    """The lateness of an allowed late submission: first slip days are spent, then points."""
    spent = min(late.days, slip_days) if assignment.late_penalty_percent else 0
    percent = min(100.0, (late.days - spent) * assignment.late_penalty_percent)
    deducted = f"{percent:g} % of the points are deducted"
    if spent:
        which = "it" if spent == late.days == 1 else "them" if spent == late.days else "one of them"
        which = f"{spent} of them" if 1 < spent < late.days else which
        deducted = f"{deducted} for the rest" if percent else "nothing is deducted"
        used = "a slip day covers" if spent == 1 else f"{spent} slip days cover"
        told, deducted = f"{told}: {used} {which}", f"and {deducted}"
    found = {"slip_days": spent, "slip_days_left": slip_days - spent, "percent": percent}
    return _stated(late.model_copy(update=found), f"{told}{', ' if spent else ': '}{deducted}.")


def _stated(late: Lateness, sentence: str) -> Lateness:
    return late.model_copy(update={"sentence": sentence})


def counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s"

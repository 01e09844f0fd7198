"""The terms of one student: in one assignment, or in the rules for late work."""

import datetime
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from grader.course.assignment import Assignment
from grader.course.course_facts import LatePolicy

from .receipt import EXAMPLE, with_zone

MOST_DAYS = 60  # more extra days are rather a slip of the keyboard
_MORE = re.compile(r"\+\d{1,3}")  # a zone such as +0100 has four digits


@dataclass(frozen=True)
class Terms:
    """The terms of one student in one assignment."""

    due: datetime.datetime | None = None  # instead of the assignment's
    more_days: int = 0  # after the assignment's due date
    waived: bool = False  # late, but nothing is deducted
    excused: bool = False  # the assignment does not count

    @classmethod
    def read(cls, cell: str, zone: datetime.tzinfo) -> "Terms":
        """Of a roster's cell: a due date, `+2`, `waived`, `excused`, or several of them.

        `zone`: that of a date without one.

        Raises ValueError, in one sentence.
        """
        words = cell.split()
        flags = {word.casefold() for word in words} & {"waived", "excused"}
        more = [int(word[1:]) for word in words if _MORE.fullmatch(word)]
        rest = [w for w in words if w.casefold() not in flags and not _MORE.fullmatch(w)]
        try:
            if len(more) > 1:
                raise ValueError(f"{cell!r} has two numbers of days")
            if sum(more) > MOST_DAYS:
                raise ValueError(f"+{sum(more)} are more days than {MOST_DAYS}: do you mean it?")
            due = with_zone(" ".join(rest), zone) if rest else None
        except ValueError as error:
            raise ValueError(
                f"{error}; write a due date ({EXAMPLE}), +2 for two more days, waived or excused"
            ) from None
        return cls(due, sum(more), "waived" in flags, "excused" in flags)

    def due_date(self, assignment: Assignment) -> datetime.datetime:
        """When this student's work is due: days later at the same time by the course's clocks."""
        due = self.due or assignment.due
        later = due.astimezone(assignment.zone) + datetime.timedelta(days=self.more_days)
        return later.astimezone(due.tzinfo)


@dataclass(frozen=True)
class Allowance:
    """A student's own numbers for late work; None: that of the course, or of the assignment."""

    slip_days: int | None = None
    grace_minutes: int | None = None
    late_penalty_percent: int | None = None  # of every assignment

    @classmethod
    def read(cls, cells: Mapping[str, str]) -> "Allowance":
        """Of a roster's row, by column. Raises ValueError, in one sentence."""
        given = {column: text for column in ALLOWANCES if (text := cells.get(column))}
        for column, text in given.items():
            if not (text.isascii() and text.isdigit()):
                raise ValueError(f"{column} = {text!r}: write a whole number, or nothing")
            if column == "late_penalty_percent" and int(text) > 100:
                raise ValueError(f"{column} = {text!r}: a day costs 100 % at most")
        return cls(**{column: int(text) for column, text in given.items()})

    @property
    def cells(self) -> dict[str, str]:
        return {column: str(own) for column, own in asdict(self).items() if own is not None}

    def over(self, policy: LatePolicy) -> LatePolicy:
        """The rules of the course with the student's own numbers."""
        own = {"slip_days": self.slip_days, "grace_minutes": self.grace_minutes}
        return policy.model_copy(update={key: n for key, n in own.items() if n is not None})

    def with_penalty(self, assignment: Assignment) -> Assignment:
        """The assignment with the student's own price of a late day."""
        own = self.late_penalty_percent
        update = {} if own is None else {"late_penalty_percent": own}
        return assignment.model_copy(update=update)


ALLOWANCES = tuple(Allowance.__dataclass_fields__)  # columns of the roster

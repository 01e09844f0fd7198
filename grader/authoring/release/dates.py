"""When the answers of an assignment may come out: after the last late date of the whole class."""

from __future__ import annotations

import datetime
from types import MappingProxyType

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...classroom.roster import Roster
from ...classroom.terms import Allowance, Terms
from ...gradebook.late_policy import Allowances, AllTerms


def last_late_date(
    course: Course,
    assignment: Assignment,
    terms: AllTerms,
    allowances: Allowances = MappingProxyType({}),
) -> datetime.datetime:
    """The last moment at which anybody may still hand in for points.

    That is the latest due date, extensions included, plus the late days and the grace period. An
    excused student hands in nothing; a waiver forgives lateness and moves no date.
    """
    ends = [assignment.due + datetime.timedelta(minutes=course.late.grace_minutes)]
    for student in {student for student, id in terms if id == assignment.id} | {*allowances}:
        own = terms.get((student, assignment.id), Terms())
        grace = allowances.get(student, Allowance()).over(course.late).grace_minutes
        if not own.excused:
            ends.append(own.due_date(assignment) + datetime.timedelta(minutes=grace))
    return max(ends) + datetime.timedelta(days=assignment.late_days)


def answers_out(
    course: Course,
    terms: AllTerms,
    now: datetime.datetime,
    allowances: Allowances = MappingProxyType({}),
) -> list[str]:
    """The assignments whose answers may be out at this time."""
    return [
        assignment.id
        for assignment in course.assignments
        if last_late_date(course, assignment, terms, allowances) < now
    ]


def with_roster(terms: AllTerms, roster: Roster) -> dict[tuple[str, str], Terms]:
    """The stored terms with those of the roster; an empty cell of the roster ends earlier ones."""
    told = {
        (student, assignment): roster.terms(student, assignment)
        for student in roster.students
        for assignment in roster.assignments
    }
    return {**terms, **told}

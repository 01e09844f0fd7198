"""Applies due dates, terms and slip days to the results of a whole class, and says what has ended.

Grades are stored without it, so a new deadline or extension grades nothing again: it counts from
the next report on.
"""

import datetime
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from grader.course.assignment import Assignment
from grader.course.course import Course

from ...classroom.roster import Roster
from ...classroom.terms import Allowance, Terms
from ..lateness import Lateness, counted, last_moment, lateness
from ..result import Result
from ..totals import WITHOUT_POINTS

INDIVIDUAL = ", set for this student."  # ends what holds for one student alone
AllTerms = Mapping[tuple[str, str], Terms]  # by student and assignment
Allowances = Mapping[str, Allowance]  # by student


def with_roster(terms: AllTerms, roster: Roster) -> dict[tuple[str, str], Terms]:
    """The stored terms with those of the roster; an empty cell of the roster ends earlier ones."""
    told = {
        (student, assignment): roster.terms(student, assignment)
        for student in roster.students
        for assignment in roster.assignments
    }
    return {**terms, **told}


def applied(
    results: Sequence[Result],
    course: Course,
    terms: AllTerms,
    allowances: Allowances = MappingProxyType({}),
) -> list[Result]:
    """The results with the lateness of each and new totals, in the order given.

    `results` must hold all results of a student: slip days are spent in the order in which the
    assignments are due for this student, by submissions that have points to lose.
    """
    left: dict[str, int] = {}
    found: dict[int, Result] = {}
    order = {a.id: n for n, a in enumerate(course.graded)}
    in_order = sorted(
        enumerate(results),
        key=lambda pair: (
            _terms(pair[1], terms).due_date(course.assignment(pair[1].assignment)),
            order[pair[1].assignment],
        ),
    )
    for place, result in in_order:
        own = allowances.get(result.student, Allowance())
        budget = left.get(result.student, own.over(course.late).slip_days)
        late = _lateness(result, course, _terms(result, terms), own, budget)
        left[result.student] = budget - late.slip_days
        assignment = course.assignment(result.assignment)
        found[place] = result.changed(assignment, late=late)
    return [found[place] for place in range(len(results))]


def _lateness(
    result: Result, course: Course, terms: Terms, own: Allowance, budget: int
) -> Lateness:
    submission, policy = result.submission, own.over(course.late)
    late = lateness(
        submission.received,
        own.with_penalty(course.assignment(result.assignment)),
        terms,
        policy,
        0 if result.outcome in WITHOUT_POINTS else budget,
        submission.received_from,
    )
    if result.outcome in WITHOUT_POINTS:
        late = late.model_copy(update={"slip_days_left": budget})
    if late.excused:
        return late
    said = [late.sentence]
    if policy.slip_days or course.late.slip_days:
        left = f"Slip days left: {late.slip_days_left} of {policy.slip_days}"
        said.append(left + (INDIVIDUAL if own.slip_days is not None else "."))
    if own.grace_minutes is not None:
        said.append(f"Grace period: {counted(own.grace_minutes, 'minute')}{INDIVIDUAL}")
    if own.late_penalty_percent is not None:
        said.append(f"A late day costs {own.late_penalty_percent} %{INDIVIDUAL}")
    return late.model_copy(update={"sentence": " ".join(said)})


def _terms(result: Result, terms: AllTerms) -> Terms:
    return terms.get((result.student, result.assignment), Terms())


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
    ends = [last_moment(assignment.due, assignment, course.late)]
    for student in {student for student, id in terms if id == assignment.id} | {*allowances}:
        own = terms.get((student, assignment.id), Terms())
        policy = allowances.get(student, Allowance()).over(course.late)
        if not own.excused:
            ends.append(last_moment(own.due_date(assignment), assignment, policy))
    return max(ends)


def ended(
    course: Course,
    terms: AllTerms,
    now: datetime.datetime,
    allowances: Allowances = MappingProxyType({}),
) -> list[str]:
    """The assignments that nobody can hand in any more for points: answers may come out."""
    return [
        assignment.id
        for assignment in course.assignments
        if last_late_date(course, assignment, terms, allowances) < now
    ]

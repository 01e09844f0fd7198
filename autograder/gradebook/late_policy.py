"""Applies due dates, terms and slip days to the results of a whole class.

Grades are stored without it, so a new deadline or extension grades nothing again: it counts from
the next report on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..classroom.roster import Terms
from .lateness import Lateness, lateness
from .result import Result
from .totals import WITHOUT_POINTS

if TYPE_CHECKING:
    from course_lib.course.syllabus import Syllabus

AllTerms = Mapping[tuple[str, str], Terms]  # by student and assignment


def applied(results: Sequence[Result], syllabus: Syllabus, terms: AllTerms) -> list[Result]:
    """The results with the lateness of each and new totals, in the order given.

    `results` must hold all results of a student: slip days are spent in the order in which the
    assignments are due for this student, by submissions that have points to lose.
    """
    left: dict[str, int] = {}
    found: dict[int, Result] = {}
    order = {a.id: n for n, a in enumerate(syllabus.assignments)}
    in_order = sorted(
        enumerate(results),
        key=lambda pair: (
            _terms(pair[1], terms).due_date(syllabus.assignment(pair[1].assignment)),
            order[pair[1].assignment],
        ),
    )
    for place, result in in_order:
        budget = left.get(result.student, syllabus.late.slip_days)
        late = _lateness(result, syllabus, _terms(result, terms), budget)
        left[result.student] = budget - late.slip_days
        assignment = syllabus.assignment(result.assignment)
        found[place] = result.changed(assignment, late=late)
    return [found[place] for place in range(len(results))]


def _lateness(result: Result, syllabus: Syllabus, terms: Terms, budget: int) -> Lateness:
    submission = result.submission
    late = lateness(
        submission.received,
        syllabus.assignment(result.assignment),
        terms,
        syllabus.late,
        0 if result.outcome in WITHOUT_POINTS else budget,
        submission.received_from,
    )
    if result.outcome in WITHOUT_POINTS:
        late = late.model_copy(update={"slip_days_left": budget})
    if not syllabus.late.slip_days or late.excused:
        return late
    told = f"You have {late.slip_days_left} of {syllabus.late.slip_days} slip days left."
    return late.model_copy(update={"sentence": f"{late.sentence} {told}"})


def _terms(result: Result, terms: AllTerms) -> Terms:
    return terms.get((result.student, result.assignment), Terms())

"""The minutes that course.toml states are at least those that the work is estimated to take."""

import pytest

from grader.authoring import workload
from grader.course.course import Course

COURSE = Course.here()


@pytest.mark.parametrize("assignment", COURSE.assignments, ids=lambda assignment: assignment.id)
def test_no_exercise_claims_less_time_than_it_takes(assignment):
    stated = {exercise.id: exercise.minutes for exercise in assignment.exercises}
    short = {
        id: f"{stated[id]} minutes stated, {estimate:.0f} estimated"
        for id, estimate in workload.estimates(assignment).items()
        if stated[id] < estimate - 2.5  # minutes are rounded to five
    }
    assert not short


def test_more_lines_take_more_time():
    minutes = workload.estimates(COURSE.assignment("a4"))
    assert minutes["4.11"] > minutes["4.10"] > minutes["4.1"]
    assert workload.lines(COURSE.assignment("a1").exercise("1.1")) == 3

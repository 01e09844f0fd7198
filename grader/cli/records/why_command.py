"""`course why`: explains one student's grade of an assignment, down to the test."""

from grader.course.course import Course

from ...report import account
from .. import EXIT_OK, lookup
from ..output import UsageProblem, say, say_json
from . import results, stores
from .gradebook_options import Why


def run(options: Why) -> int:
    """Print the sum, then the exercises: those that lost points in full, or the one asked for."""
    course, student = Course.here(), options.student
    assignment, exercise = options.assignment, options.exercise
    with stores.existing(options.out, options.store) as store:
        whose = lookup.assignment(course, assignment)
        found = {(r.student, r.assignment): r for r in results.counted_results(store, course)}
        if (student, whose.id) not in found:
            raise UsageProblem(stores.nothing_for(store, student, whose.id))
        result = found[student, whose.id]
    known = [entry.id for entry in result.exercises]
    if exercise is not None and exercise not in known:
        ids = ", ".join(known)
        raise UsageProblem(f"{assignment} has no exercise {exercise!r}; there are {ids}")
    only = None if exercise is None else [exercise]
    if options.json:
        say_json(account.account(result, whose, only))
    else:
        say(account.text(result, whose, only))
    return EXIT_OK

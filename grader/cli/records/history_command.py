"""`course history`: every grading and every manual mark of one student and assignment."""

from grader.course.course import Course

from ...report.plain_text import number
from .. import EXIT_OK, lookup
from ..output import UsageProblem, say, say_json
from . import change_lines, results, stores
from .gradebook_options import History


def run(options: History) -> int:
    """Print what happened, oldest first."""
    course, student = Course.here(), options.student
    with stores.existing(options.out, options.store) as store:
        found = store.history(
            student, lookup.assignment(course, options.assignment).id, course.facts.zone
        )
        if not found:
            raise UsageProblem(stores.nothing_for(store, student, options.assignment))
        now = [
            result.totals
            for result in results.counted_results(store, course)
            if (result.student, result.assignment) == (student, options.assignment)
        ]
    if options.json:
        say_json(found)
        return EXIT_OK
    say(f"{student}, {options.assignment}: {len(found)} entries, oldest first")
    for entry in found:
        say("\n".join(change_lines.of_event(entry, course.facts.zone)))
    for totals in now:
        points = f"{number(totals.total)} of {number(totals.max)} points"
        say(f"\nWhat counts now: {'excused' if totals.excused else points}")
    return EXIT_OK

"""`course report`: writes stored results again, with new manual marks or terms."""

from __future__ import annotations

from grader.course.course import Course

from ...gradebook import manual, stored_roster
from .. import EXIT_OK
from ..output import say, say_json
from . import class_list, results, stores
from .gradebook_options import Report


def run(options: Report) -> int:
    """Add marks and terms to the store that `grade` left, and write everything again."""
    course = Course.here()
    stored = stores.existing(options.out, options.store)
    given = manual.read(options.manual, course) if options.manual else None
    roster = class_list.read_roster(options.roster, course)
    results.prepare(options.out)
    with stored as store:
        stores.check_filled(store)
        stored_roster.keep(store, roster)
        if given is not None:
            store.keep(given)
        written = results.write(store, course, options.out)
        stores.back_up(store)
    if options.json:
        say_json([result.as_json() for result in written.results])
        return EXIT_OK
    results.print_table(written.results, course)
    say(f"\nReport   {written.report}\nClass    {written.dashboard}")
    say(f"CSV      {written.csv}\nJSON     {written.json}")
    say(f"To mark  {written.marks}")
    return EXIT_OK

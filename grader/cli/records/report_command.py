"""`course report`: writes stored results again, with new manual marks or terms."""

from __future__ import annotations

from grader.course.course import Course

from ...gradebook import stored_roster
from .. import EXIT_OK
from ..output import say, say_json, warn
from . import class_list, preview_output, results, stores
from .gradebook_options import Report
from .newcomers import newcomers


def run(options: Report) -> int:
    """Add marks and terms to the store that `grade` left, and write everything again."""
    course = Course.here()
    stored = stores.existing(options.out, options.store)
    roster = class_list.read_roster(options.roster, course)
    for sentence in newcomers(roster, options.out, options.store):
        warn(sentence)
    everybody = class_list.known(roster, options.out, options.store).students
    given = class_list.marks(options.manual, course, everybody, options.out, options.store)

    def change() -> None:
        stored_roster.keep(store, roster)
        if given is not None:
            store.keep(given, class_list.marker(options.marker))

    if not options.preview:
        results.prepare(options.out)
    with stored as store:
        stores.check_filled(store)
        if options.preview:
            return preview_output.show(store, course, change, options.json)
        change()
        written = results.write(store, course, options.out)
        stores.back_up(store)
    if options.json:
        say_json([result.as_json() for result in written.results])
        return EXIT_OK
    results.print_table(written.results)
    say(f"\nReport   {written.report}\nClass    {written.dashboard}")
    say(f"CSV      {written.csv}\nJSON     {written.json}")
    say(f"To mark  {written.marks}")
    return EXIT_OK

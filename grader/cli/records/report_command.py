"""`course report`: writes stored results again, with new manual marks or terms."""

from grader.course.course import Course

from ...gradebook import manual, stored_roster
from .. import EXIT_OK
from ..output import say, say_json
from . import change_lines, class_list, results, stores
from .gradebook_options import Report


def run(options: Report) -> int:
    """Add marks and terms to the store that `grade` left, and write everything again."""
    course = Course.here()
    with stores.existing(options.out, options.store) as store:
        stores.check_filled(store)
        listed = class_list.of_store(store, options.roster, course)
        everybody = {*class_list.announced(listed).students, *listed.graded}
        given = manual.read(options.manual, course, everybody) if options.manual else None

        def change() -> None:
            stored_roster.keep(store, listed.given)
            if given is not None:
                store.keep(given, class_list.marker(options.marker))

        if options.preview:
            return change_lines.show_preview(store, course, change, options.json)
        results.prepare(options.out)
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

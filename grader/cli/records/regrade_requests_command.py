"""`course regrade-requests`: collects what students ask to have looked at again."""

from textwrap import shorten

from grader.course.course import Course

from ...exchange.regrades import Found, collected
from .. import EXIT_FOUND, EXIT_OK
from ..output import say, say_json
from . import class_list, results, stores
from .gradebook_options import RegradeRequests

WIDTH = 60  # characters of a reason in the list


def run(options: RegradeRequests) -> int:
    """Store the requests that are new, and list all files; 1 if one could not be taken."""
    course, out = Course.here(), options.out
    with stores.existing(out, options.store) as store:
        stores.check_filled(store)
        roster = class_list.announced(class_list.of_store(store, options.roster, course))
        found = collected(options.folder, course, roster, results.counted_results(store, course))
        new = store.ask({one.item: one.reason for one in found if one.item})
        stores.back_up(store)
    refused = sum(one.item is None for one in found)
    if options.json:
        say_json([vars(one) | {"new": one.item in new} for one in found])
        return EXIT_FOUND if refused else EXIT_OK
    for one in found:
        say(_line(one, one.item in new))
    say(f"\n{len(new)} new, {len(found) - len(new) - refused} known, {refused} not taken")
    if new:
        say(f"Written answers: course mark {out}, then “in question”")
        say(f"Code exercises:  course report {out} asks in {out / 'to_mark.csv'}")
    return EXIT_FOUND if refused else EXIT_OK


def _line(one: Found, is_new: bool) -> str:
    if one.item is None:
        return f"not taken  {one.file}: {one.problem}"
    said = shorten(one.reason, WIDTH, placeholder=" …")
    return f"{'new' if is_new else 'known':<9}  {' '.join(one.item)}: {said}"

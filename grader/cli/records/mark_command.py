"""`course mark`: written answers, marked in a browser on this machine."""

from contextlib import nullcontext

from grader.course.course import Course

from ...course.visible import visible_name
from ...gradebook.stored_marks import acts
from ...marking.desk import Desk
from ...marking.entries import Marker
from ...marking.guard import LOOPBACK
from ...marking.server import offered, opened
from .. import EXIT_OK
from ..output import UsageProblem, say, warn
from . import class_list, stores
from .gradebook_options import Mark

MAX_NAME = 60


def run(options: Mark) -> int:
    """Serve the page until Ctrl-C; every mark is stored when it is given."""
    course, marker = Course.here(), _marker(options)
    with stores.existing(options.out, options.store) as store:
        stores.check_filled(store)
        desk = Desk(store, course)
        before = max((kept.id for kept in store.marks()), default=0)
        if not desk.parts():
            raise UsageProblem(f"{store.where}: nothing was handed in that a person marks")
        with offered(desk, marker, options.host, options.port, options.out) as served:
            say(f"{served.address}  marks as {marker.name}; Ctrl-C ends it")
            if options.host not in LOOPBACK:
                warn("anyone who sees this address, or the network, can mark with it")
            with nullcontext() if options.no_browser else opened(served.address, options.out):
                served.run()
        stores.back_up(store)
        new = sum(kept.id > before for step in acts(store.marks(), marker.name) for kept in step)
    say(f"\n{new} {'mark is' if new == 1 else 'marks are'} new; all are stored.")
    say(f"To write them into reports and lists: course report {options.out}")
    return EXIT_OK


def _marker(options: Mark) -> Marker:
    names = [options.marker or class_list.marker(None), *(options.others or [])]
    for name in names:
        if not name.strip() or len(name) > MAX_NAME or visible_name(name) != name:
            raise UsageProblem(
                f"{name[:MAX_NAME]!r} is not a marker's name: give up to {MAX_NAME} characters, "
                "your "
                "own with --marker"
            )
    return Marker(names[0], tuple(names), options.by_question, options.anonymous)

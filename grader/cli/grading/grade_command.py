"""`course grade`."""

import datetime
from collections.abc import Callable, Iterable
from functools import partial

from grader.checking.explanation import NOT_YOURS
from grader.checking.session import BROKEN
from grader.course.assignment import Assignment
from grader.course.course import Course

from ...authoring import consistency
from ...classroom.roster import Roster, abridged
from ...gradebook import manual, stored_roster
from ...gradebook.manual import ManualMarks
from ...gradebook.result import Result
from ...gradebook.rules import late_policy
from ...gradebook.store import Store
from ...gradebook.totals import UNGRADED
from ...grading import cluster
from ...grading.judge_pool import Settings
from ...intake import choice
from ...intake.submissions import Submission
from .. import EXIT_OK, EXIT_UNGRADED, lookup
from ..output import UsageProblem, say, say_json, warn
from ..records import change_lines, class_list, corrected_names, results, stores
from . import class_grading
from .grading_options import Grade


def run(options: Grade) -> int:
    """Grade, store and report; prints a table and the paths of what was written."""
    course = Course.here()
    consistency.check_components(course)
    default, exercises = _chosen(course, options)
    _check(options)
    tier = class_grading.checked_tier(options.require_isolation, options.trust)
    times = class_list.times(options.received, course)
    listed = class_list.read(options.roster, course, options.out, options.store)
    roster = listed.roster
    notices = list[str]()
    folder, out = options.submissions, options.out
    found = class_grading.received(folder, course, default, roster, notices.append, out)
    notices += class_list.staying_away(found, roster)
    found = [submission for submission in found if submission.student not in roster.left]
    chosen = _named_by(found, options, default)
    notices += choice.notices(chosen)
    models = class_grading.with_models(course, chosen, exercises)
    labels = class_grading.hidden_labels(course, models, options.labels_from)
    handed_in = {submission.student for submission in found}
    notices += listed.newcomers(handed_in)
    everybody = {*roster.students, *listed.graded, *handed_in}
    given = manual.read(options.manual, course, everybody) if options.manual else None
    settings = Settings(
        options.jobs,
        tier.name,
        "D" if options.trust else "C",
        options.regrade,
        exercises,
        labels,
        executor=options.executor,
        keep=not options.preview,
        ended=_ended(course, roster, options),
    )
    store = (stores.existing if options.preview else stores.store)(options.out, options.store)
    if not (exercises or options.preview):
        results.prepare(options.out)
    _say([*notices, *class_list.unused(times, found)], options)
    _say([f"isolation: {class_grading.tier_text(tier)}"], options)
    if options.store and not (exercises or stores.is_there(options.out, options.store)):
        _say([f"{store.where}: creating a new database for the results"], options)
    if exercises:  # only show some tests: nothing is stored or written
        graded = class_grading.grade(chosen, course, store, settings, quiet=options.json)
        return _show(graded, exercises[0], options)
    with store:
        if not options.preview:
            stored_roster.keep(store, listed.given)
            _keep(given, store, options, graded_before=True)
        told, zone = list[str](), course.facts.zone
        carry = partial(corrected_names.carry, store, chosen, found, folder)
        if not options.preview:
            carry(told.append)
        chosen = class_list.timed(chosen, times, store, told.append, zone)
        chosen = class_list.without_older(chosen, store, options.take_older, told.append, zone)
        _say(told, options)
        graded = class_grading.grade(chosen, course, store, settings, quiet=options.json)
        if options.preview:
            change = partial(_store_all, store, listed.given, graded, partial(carry, warn))
            return change_lines.show_preview(store, course, change, options.json, graded)
        _keep(given, store, options)
        files = results.write(store, course, options.out)
        stores.back_up(store)
    return _report(files, graded, course, options)


def _ended(course: Course, roster: Roster, options: Grade) -> frozenset[str]:
    """The assignments whose failures are tried with right forms of earlier exercises."""
    if options.final:
        return frozenset(assignment.id for assignment in course.graded)
    now = datetime.datetime.now(datetime.timezone.utc)
    terms = late_policy.with_roster({}, roster)
    return frozenset(late_policy.ended(course, terms, now, roster.allowances))


def _store_all(
    store: Store, listed: Roster, graded: list[Result], carry: Callable[[], None]
) -> None:
    stored_roster.keep(store, listed)
    carry()
    for result in graded:
        store.add(result)


def _keep(
    given: ManualMarks | None, store: Store, options: Grade, graded_before: bool = False
) -> None:
    """Store the marks that were given; first those of answers that an earlier run graded."""
    if given is not None:
        known = {(r.student, r.assignment) for r in store.latest()}
        marks = {i: m for i, m in given.marks.items() if not graded_before or i[:2] in known}
        store.keep(ManualMarks(given.course, marks), class_list.marker(options.marker))


def _check(options: Grade) -> None:
    """Raises UsageProblem for options that do not go together, and for an unknown executor."""
    if options.exercise and options.manual:
        raise UsageProblem("--exercise only shows tests and stores nothing: leave out --manual")
    if options.preview and (options.exercise or options.manual):
        raise UsageProblem("--preview stores nothing: leave out --exercise and --manual")
    if options.executor.startswith("tcp://"):
        raise UsageProblem(
            f"--executor {options.executor}: anyone who reaches a cluster without TLS runs code "
            "as you; start it with certificates, and give its tls:// address"
        )
    if options.executor not in ("processes", cluster.LOCAL) and not options.executor.startswith(
        cluster.ADDRESS
    ):
        raise UsageProblem(
            f"--executor {options.executor}: give processes, dask, or a scheduler's address such "
            "as tls://10.0.0.5:8786"
        )


def _named_by(
    found: list[Submission], options: Grade, default: Assignment | None
) -> list[Submission]:
    """The submissions that the options name. Raises UsageProblem if there are none."""
    chosen = [
        s
        for s in found
        if options.only in (None, s.student) and (default is None or s.assignment == default.id)
    ]
    if not chosen:
        students = ", ".join(sorted({s.student for s in found})[:12])
        raise UsageProblem(f"no submission fits these options; the students are {students}")
    return chosen


def _say(sentences: Iterable[str], options: Grade) -> None:
    for sentence in sentences if not options.json else ():
        warn(sentence)


def _report(files: results.Written, graded: list[Result], course: Course, options: Grade) -> int:
    """Print this run's results with what to know of them; exit 5 if the grader failed on any."""
    counted = files.of(graded)
    everybody = options.only is None
    _say(class_list.attendance(files.roster, files.results, graded, everybody), options)
    _say(class_list.late_by_file(counted), options)
    failed = [result for result in graded if result.outcome == UNGRADED]
    if failed:
        warn(_failure(failed, files))
    if waiting := [r for r in counted if r.provisional]:
        warn(_of_waiting(waiting))
    partly = [r for r in counted if r.untested and r.outcome != UNGRADED]
    if partly:
        warn(_of_tests(partly))
    return _print(files, counted, bool(failed or partly), course, options)


def _of_tests(partly: list[Result]) -> str:
    """Which tests are wrong themselves, and whose points are pending until they are corrected."""
    ids = list(dict.fromkeys(id for result in partly for id in result.untested))
    broken = [test.message for r in partly for test in r.tests if test.outcome == BROKEN]
    said = {message.got.removesuffix(NOT_YOURS) for message in broken if message}
    return f"exercise {', '.join(ids)} of {_named(partly)} is pending: {'; '.join(sorted(said))}"


def _of_waiting(waiting: list[Result]) -> str:
    """Names the students whose results may still gain points, and says how."""
    return (
        f"provisional: {_named(waiting)}; run the same command after the last late day, or with "
        "--final: then nobody loses points for a mistake in an earlier exercise"
    )


def _failure(failed: list[Result], files: results.Written) -> str:
    """On whom the grader failed and why, and whose earlier grade counts on."""
    kept = [result for result in files.of(failed) if result.outcome != UNGRADED]
    why = failed[0].reason.removeprefix("could not be graded: ")
    and_kept = f"; the earlier grade of the same files still counts: {_named(kept)}" if kept else ""
    return f"the grader failed on {_named(failed)}: {why}{and_kept}"


def _named(found: list[Result]) -> str:
    return abridged([f"{result.student} {result.assignment}" for result in found], 5)


def _print(
    files: results.Written, run: list[Result], failed: bool, course: Course, options: Grade
) -> int:
    """Print this run's results, and the files, which hold those of earlier runs too."""
    code = EXIT_UNGRADED if failed else EXIT_OK
    if options.json:
        say_json([result.as_json() for result in run])
        return code
    results.print_table(run)
    if options.show:
        for result in run:
            results.print_failures(result)
    if len(run) < len(files.results):
        say(f"\nThis run: {len(run)}; the files contain all {len(files.results)} results.")
    say(f"\nReport   {files.report}\nClass    {files.dashboard}")
    say(f"CSV      {files.csv}\nJSON     {files.json}")
    say(f"To mark  {files.marks}   (fill in, then: course report {options.out} --manual FILE)")
    return code


def _chosen(course: Course, options: Grade) -> tuple[Assignment | None, tuple[str, ...] | None]:
    """The assignment and exercises that the options name. Raises UsageProblem."""
    default = lookup.assignment(course, options.assignment) if options.assignment else None
    if options.exercise is None:
        return default, None
    return lookup.owner(course, options.exercise), (options.exercise,)


def _show(graded: list[Result], exercise: str, options: Grade) -> int:
    if options.json:
        say_json([result.as_json() for result in graded])
        return EXIT_OK
    for result in graded:
        results.print_exercise(result, exercise)
    return EXIT_OK

"""`course grade`."""

from __future__ import annotations

import contextlib
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import Assignment, Course

from ...authoring import whole
from ...classroom.few import few
from ...classroom.roster import Roster
from ...gradebook import manual, stored_roster
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...gradebook.totals import UNGRADED
from ...grading import class_run, cluster
from ...grading.settings import Settings
from ...intake import submissions
from ...intake.submissions import NOBODY
from ...judge.models.hidden_labels import HiddenLabels, load
from .. import EXIT_OK, EXIT_UNGRADED, lookup
from ..problems import UsageProblem
from ..records import class_list, results, stores
from . import isolation, preview_output


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    submissions: Path
    out: Path
    assignment: str | None = None
    only: str | None = None
    exercise: str | None = None
    show: bool = False
    manual: Path | None = None
    roster: Path | None = None
    received: Path | None = None
    jobs: int = 2
    executor: str = "processes"
    regrade: bool = False
    preview: bool = False
    store: str | None = None
    require_isolation: str | None = None
    trust: bool = False
    labels_from: str = "mirror,hub"
    json: bool = False


def run(options: Options) -> int:
    """Grade, store and report; prints a table and the paths of what was written."""
    course = Course.here()
    whole.check_components(course)
    default, exercises = _chosen(course, options)
    if exercises and options.manual:
        raise UsageProblem("--exercise only shows tests and stores nothing: leave out --manual")
    if options.preview and (exercises or options.manual):
        raise UsageProblem("--preview stores nothing: leave out --exercise and --manual")
    if options.executor not in ("processes", cluster.LOCAL) and not options.executor.startswith(
        cluster.ADDRESSES
    ):
        raise UsageProblem(
            f"--executor {options.executor}: give processes, dask, or a scheduler's address such "
            "as tcp://10.0.0.5:8786"
        )
    tier = isolation.checked_tier(options.require_isolation, options.trust)
    listed, times = (
        class_list.given(options.roster, course),
        class_list.times(options.received, course),
    )
    roster = class_list.known(listed, options.out, options.store)
    found = received(options.submissions, course, default, roster)
    chosen = [
        s
        for s in found
        if options.only in (None, s.student) and (default is None or s.assignment == default.id)
    ]
    if not chosen:
        students = ", ".join(sorted({s.student for s in found})[:12])
        raise UsageProblem(f"no submission fits these options; the students are {students}")
    labels = hidden_labels(course, with_models(course, chosen, exercises), options.labels_from)
    given = manual.read(options.manual, course) if options.manual else None
    stored = stores.existing if options.preview else stores.store
    store = stored(options.out, options.store)
    if not (exercises or options.preview):
        results.prepare(options.out)
    say = (lambda text: None) if options.json else (lambda text: print(text, file=sys.stderr))
    for told in submissions.sayings(options.submissions, _ids(course), roster):
        say(told)
    for told in class_list.unused(times, found):
        say(told)
    say(f"isolation: {isolation.tier_text(tier)}")
    if options.store and not (exercises or stores.is_there(options.out, options.store)):
        say(f"{store.where}: a new database is made for the results")
    settings = Settings(
        options.jobs,
        tier.name,
        "D" if options.trust else "C",
        options.regrade,
        exercises,
        labels,
        executor=options.executor,
        keep=not options.preview,
    )
    if exercises:  # only show some tests: nothing is stored or written
        graded = grade(chosen, course, store, settings, quiet=options.json)
        return _show(graded, exercises[0], options)
    with store:
        if not options.preview:
            stored_roster.keep(store, listed)
        chosen = class_list.timed(chosen, times, store)
        graded = grade(chosen, course, store, settings, quiet=options.json)
        if options.preview:
            return preview_output.show(graded, store, course, options.json)
        if given is not None:
            store.keep(given)
        files = results.write(store, course, options.out)
        stores.back_up(store)
    counted = files.of(graded)
    for told in class_list.attendance(files.roster, files.results, graded):
        say(told)
    for told in class_list.late_by_file(counted):
        say(told)
    failed = [result for result in graded if result.outcome == UNGRADED]
    if failed:
        print(_failure(failed, files), file=sys.stderr)
    return _print(files, counted, bool(failed), course, options)


def _failure(failed: list[Result], files: results.Written) -> str:
    """On whom the grader failed and why, and whose earlier grade counts on."""
    kept = [result for result in files.of(failed) if result.outcome != UNGRADED]
    why = failed[0].reason.removeprefix("could not be graded: ")
    and_kept = f"; the earlier grade of the same files counts on: {_named(kept)}" if kept else ""
    return f"the grader failed on {_named(failed)}: {why}{and_kept}"


def _named(found: list[Result]) -> str:
    return few([f"{result.student} {result.assignment}" for result in found], 5)


def _print(
    files: results.Written, run: list[Result], failed: bool, course: Course, options: Options
) -> int:
    """Print this run's results, and the files, which hold those of earlier runs too."""
    code = EXIT_UNGRADED if failed else EXIT_OK
    if options.json:
        print(json.dumps([result.as_json() for result in run], ensure_ascii=False))
        return code
    results.print_table(run, course)
    if options.show:
        for result in run:
            results.print_failures(result)
    if len(run) < len(files.results):
        print(f"\nThis run: {len(run)}; the files hold all {len(files.results)} results.")
    print(f"\nReport   {files.report}\nClass    {files.dashboard}")
    print(f"CSV      {files.csv}\nJSON     {files.json}")
    print(f"To mark  {files.marks}   (fill in, then: course report {options.out} --manual FILE)")
    return code


def grade(
    chosen: list[submissions.Submission],
    course: Course,
    store: Store,
    settings: Settings,
    quiet: bool,
) -> list[Result]:
    """All results, sorted by student and assignment, with a progress bar unless quiet."""
    graded = []
    with results.progress(len(chosen), quiet) as advance:
        for result in class_run.grade_class(chosen, course, store, settings):
            graded.append(result)
            advance(f"{result.student} {result.assignment}")
    return sorted(graded, key=lambda r: (r.student, r.assignment))


def received(
    folder: Path, course: Course, default: Assignment | None = None, roster: Roster = NOBODY
) -> list[submissions.Submission]:
    """One submission per student and assignment.

    A hand-in without a notebook or an assignment's name counts for the assignment that most of the
    class handed in.
    """
    found = submissions.find(folder, _ids(course), roster)
    known = [class_run.resolve(s, course, default) for s in found if s.data or s.assignment]
    counts = Counter(submission.assignment for submission in known if submission.data)
    if default is None and counts:
        default = course.assignment(max(sorted(counts), key=lambda id: counts[id]))
    rest = [class_run.resolve(s, course, default) for s in found if not (s.data or s.assignment)]
    return submissions.one_each([*known, *rest])


def hidden_labels(course: Course, ids: set[str], sources: str) -> dict[str, HiddenLabels]:
    """The labels or references to score the trained models of these assignments with.

    Raises UsageProblem for an unknown source, or if no source works.
    """
    names = [name.strip() for name in sources.split(",")]
    models = [course.assignment(id) for id in sorted(ids)]
    if not models or names == ["none"]:
        return {}
    if "none" in names:
        raise UsageProblem(f"--labels-from {sources}: give either sources or none, not both")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # `load` prints which source it used
            return {a.id: load(course, a, names) for a in models}
    except Exception as error:
        if not hasattr(error, "exit_code"):  # what the course's own code says to a user has one
            raise
        remedy = "or grade everything except trained models with --labels-from none"
        raise UsageProblem(f"{error}; {remedy}") from None


def _chosen(course: Course, options: Options) -> tuple[Assignment | None, tuple[str, ...] | None]:
    """The assignment and exercises that the options name. Raises UsageProblem."""
    default = lookup.assignment(course, options.assignment) if options.assignment else None
    if options.exercise is None:
        return default, None
    return lookup.owner(course, options.exercise), (options.exercise,)


def with_models(
    course: Course, chosen: list[submissions.Submission], exercises: tuple[str, ...] | None
) -> set[str]:
    """The assignments whose trained models this run scores."""
    found = {submission.assignment for submission in chosen}
    return {
        id
        for id in found
        if any(
            exercise.kind == "model" and (exercises is None or exercise.id in exercises)
            for exercise in course.assignment(id).exercises
        )
    }


def _ids(course: Course) -> list[str]:
    return [assignment.id for assignment in course.graded]


def _show(graded: list[Result], exercise: str, options: Options) -> int:
    for result in graded:
        if options.json:
            print(json.dumps(result.as_json(), ensure_ascii=False))
        else:
            results.print_exercise(result, exercise)
    return EXIT_OK

"""`course release`."""

import contextlib
import datetime
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from grader.course.course import Course
from grader.course.fallback import FOLDER as FALLBACK

from ...authoring.release import contents, release
from ...authoring.release.changes import MANIFEST
from ...authoring.release.running import SECONDS, Run
from ...authoring.views import setup_cell
from ...gradebook import stored_roster
from ...gradebook.lateness import written
from ...gradebook.rules import late_policy
from ...gradebook.rules.late_policy import AllTerms
from .. import EXIT_OK, lookup
from ..output import UsageProblem
from ..records import class_list, stores
from .authoring_options import Release


def run(options: Release) -> int:
    """Make the release; what is wrong is one sentence, and then nothing was written."""
    course = Course.here()
    given = (options.week, options.answers, options.fallback)
    if sum(one is not None for one in given) + options.self_study != 1:
        raise UsageProblem("choose one: --week N, --answers a1, --self-study or --fallback a3")
    _check_place(course, options.to)
    _check_branch(course, options.git_branch)
    if options.fallback is not None:
        return _fallback(options, course, options.fallback)
    if options.self_study:
        place = (options.to, options.git_branch, options.zip)
        return _print_release(options, release.self_study(course, *place, options.lectures))
    roster = class_list.roster(options.roster, course, options.out, options.store)
    kept = _stored_terms(options)
    unknown = "" if kept or roster.students else _unknown(options)
    terms = late_policy.with_roster(kept, roster)
    now = _now(options)
    out = late_policy.ended(course, terms, now, roster.allowances)
    if options.week is not None:
        due = [a.id for a in contents.in_week(course, options.week, out) if a.id in out]
        if unknown and due:
            print(f"without the answers of {', '.join(due)}: {unknown}", file=sys.stderr)
            out = []
        place = (options.to, options.git_branch, options.zip)
        made = release.week(course, options.week, out, *place, options.lectures)
        return _print_release(options, made)
    id = lookup.assignment(course, options.answers or "").id
    if unknown:
        raise UsageProblem(f"the answers of {id} stay closed: {unknown}; nothing was written")
    if id not in out:
        last = late_policy.last_late_date(course, course.assignment(id), terms, roster.allowances)
        until, today = (written(when, course.facts.zone) for when in (last, now))
        raise UsageProblem(
            f"the answers of {id} come out after its last late date, {until} (extensions "
            f"included), and it is {today}: nothing was written"
        )
    if options.zip:
        raise UsageProblem("--zip goes with --week or --self-study, not with --answers")
    to, branch = options.to, options.git_branch
    return _print_release(options, release.answers(course, id, out, to, branch, options.lectures))


def _fallback(options: Release, course: Course, id: str) -> int:
    """Train a fallback model beside a release."""
    make = course.plugin("fallback_model")
    if make is None:
        raise UsageProblem("--fallback: this course names no `fallback_model` in course.toml")
    if (options.to / MANIFEST).exists() or options.zip or options.git_branch:
        raise UsageProblem(
            "a fallback model is written next to a release, never into it or a commit: name the "
            "folder around the release with --to, and leave out --zip and --git-branch"
        )
    with contextlib.redirect_stdout(sys.stderr):  # what the data set says about itself
        card = make(
            course, lookup.assignment(course, id), options.profile, options.seed, options.to
        )
    folder = options.to / FALLBACK / id
    print(json.dumps({"to": str(folder), **asdict(card)}) if options.json else f"{folder}: {card}")
    return EXIT_OK


def _check_place(course: Course, to: Path) -> None:
    """Raises UsageProblem if a release would go into the instructors' own checkout."""
    if to.resolve() == course.root or to.resolve() in course.root.parents:
        raise UsageProblem(f"{to}: is the course's own folder; give another folder with --to")


def _check_branch(course: Course, branch: str) -> None:
    """Raises UsageProblem if badges and set-up cells would name another branch."""
    named = course.facts.student_branch
    if branch and branch != named and setup_cell.on_github(course):
        raise UsageProblem(
            f"--git-branch {branch}: badges and set-up cells name the branch {named}; give that, "
            "or change student_branch in course.toml and run `course build`"
        )


def _now(options: Release) -> datetime.datetime:
    """The time that decides: now, or the beginning of the day that was given, in UTC."""
    if options.today is None:
        return datetime.datetime.now(datetime.timezone.utc)
    midnight = datetime.time(tzinfo=datetime.timezone.utc)
    return datetime.datetime.combine(options.today, midnight)


def _stored_terms(options: Release) -> AllTerms:
    """Everybody's terms, as far as a store knows them."""
    if not options.store and not stores.is_there(options.out, None):
        return {}
    with stores.existing(options.out, options.store) as store:
        return stored_roster.terms(store)


def _unknown(options: Release) -> str:
    """Why nobody's extensions are known, or "".

    A store without a roster knows of no extension, nor that there is none.
    """
    if options.no_extensions:
        return ""
    where = "the store" if options.store else options.out
    return (
        f"no extensions are known, as there is no roster in {where}; give one with --roster, "
        "or --no-extensions if nobody has more time"
    )


def _print_release(options: Release, made: release.Made) -> int:
    if options.json:
        zip = str(made.zip) if made.zip else None
        content = {"files": made.files, "new": made.new, "answers": made.answers, "zip": zip}
        content["notebooks"] = [run.notebook for run in made.runs if not run.until]
        print(json.dumps({"to": str(options.to), **content}))
        return EXIT_OK
    where = f"{options.to}, branch {options.git_branch}" if options.git_branch else str(options.to)
    answers = f", with the answers of {', '.join(made.answers)}" if made.answers else ""
    print(f"{where}: {made.files} files{answers}" if made.new else f"{where}: nothing has changed")
    if made.zip:
        print(f"{made.zip}: the same files")
    if made.runs:
        print(_ran(made.runs))
    return EXIT_OK


def _ran(runs: Sequence[Run]) -> str:
    whole = [run for run in runs if not run.until]
    count = "1 notebook" if len(whole) == 1 else f"{len(whole)} notebooks"
    said = f"Everything released runs: {count} from the first cell to the last"
    for run in runs:
        if run.until:
            said += f"; {run.notebook} up to cell {run.until}, which took over {SECONDS} seconds"
    return said

"""`course feedback`: a page for each student and assignment, and zips of them for an LMS."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course

from ... import report
from ...classroom.roster import Roster, Student, abridged
from ...exchange.results_files import replace_file
from ...gradebook.result import Result
from ...gradebook.totals import UNGRADED, WITHOUT_POINTS
from ...report import lms_zip
from ...report.for_students import naming_others
from ...report.plain_text import counted
from .. import EXIT_OK, lookup
from ..output import UsageProblem, say, say_json, warn
from . import results
from .gradebook_options import Feedback

PACKERS: dict[str, tuple[Callable[[str, Student, str], str | None], str]] = {
    # a platform's name for a student's page, and why there may be none
    "moodle": (
        lms_zip.moodle_name,
        "neither their submission's name nor the roster's column moodle has the number of their "
        "“Participant” in Moodle's grading worksheet",
    ),
    "canvas": (
        lms_zip.canvas_name,
        "their submission was not graded under the name that Canvas's download gave it",
    ),
}


def run(options: Feedback) -> int:
    """Write the pages whose content changed, and the zips; prints what was written."""
    course = Course.here()
    id = options.assignment
    assignments = [lookup.assignment(course, id)] if id else course.graded
    zipped = dict.fromkeys(options.zips or [])
    if unknown := [name for name in zipped if name not in PACKERS]:
        raise UsageProblem(f"--zip {unknown[0]}: give {' or '.join(PACKERS)}")
    roster, found, _ = results.stored(options.roster, course, options.out, options.store)
    wanted = [result for result in found if result.assignment in {a.id for a in assignments}]
    if not wanted:
        what = options.assignment or "any assignment"
        raise UsageProblem(f"{options.out}: no results of {what} here: grade it first")
    results.prepare(options.to)
    folders = lms_zip.folder_names({result.student for result in found})
    pages = {_path(r, folders): _page(r, course, roster) for r in wanted}
    changed = [path for path, text in pages.items() if _written(options.to / path, text)]
    zips = {
        path: packed
        for assignment in assignments
        for system in zipped
        if (mine := [r for r in wanted if r.assignment == assignment.id])
        for path, packed in _zip(system, assignment.id, mine, pages, folders, roster)
    }
    for path, packed in zips.items():
        _written(options.to / path, packed)
    _say_left_over(options.to, pages, assignments)
    _say_named(wanted, [roster.student(id) for id in {**roster.students, **folders}])
    if options.json:
        listing = {"pages": sorted(pages), "changed": sorted(changed), "zips": sorted(zips)}
        say_json(listing)
        return EXIT_OK
    _print(options.to, wanted, changed, zips)
    return EXIT_OK


def _path(result: Result, folders: Mapping[str, str]) -> str:
    return f"{folders[result.student]}/{result.assignment}.html"


def _page(result: Result, course: Course, roster: Roster) -> str:
    return report.render_student(result, course, roster.student(result.student).name)


def _written(path: Path, content: str | bytes) -> bool:
    """Write the file unless it has this content already."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path.exists() and path.read_bytes() == data:
        return False
    results.prepare(path.parent)
    replace_file(path, data)
    return True


def _zip(
    system: str,
    assignment: str,
    wanted: Sequence[Result],
    pages: Mapping[str, str],
    folders: Mapping[str, str],
    roster: Roster,
) -> list[tuple[str, bytes]]:
    """The zip of one assignment; none if no student's name in that system is known.

    Students without a name, or with the name of another, are left out and listed.
    """
    name_of, unknown = PACKERS[system]
    names = {
        r.student: name_of(r.submission.file, roster.student(r.student), assignment) for r in wanted
    }
    counts = Counter(names.values())
    named = {r.student: name for r in wanted if (name := names[r.student]) and counts[name] == 1}
    path = f"{assignment}-{system}.zip"
    files = {r.submission.file for r in wanted if r.student in named}
    unnamed = [r for r in wanted if names[r.student] is None]
    others = [r.student for r in unnamed if r.submission.file in files]
    _leave_out(path, [r.student for r in unnamed if r.student not in others], unknown)
    _leave_out(path, others, "the file is a group's, and another member's page is there")
    same = [s for s, name in names.items() if name and counts[name] > 1]
    _leave_out(path, same, f"several of them have the same name in {system}")
    inside = {named[r.student]: pages[_path(r, folders)] for r in wanted if r.student in named}
    return [(path, lms_zip.packed(inside))] if inside else []


def _leave_out(path: str, students: Sequence[str], reason: str) -> None:
    if students:
        warn(f"{path}: without {abridged(students, 5)}, as {reason}")


def _say_left_over(to: Path, pages: Mapping[str, str], assignments: Sequence[Assignment]) -> None:
    """Name pages of an earlier run for which there is no result any more; they are kept."""
    there = {
        path.relative_to(to).as_posix() for a in assignments for path in to.glob(f"*/{a.id}.html")
    }
    for path in sorted(there - pages.keys()):
        warn(f"{to / path}: kept, though the store has no such result; delete it if it is wrong")


def _say_named(wanted: Sequence[Result], students: Sequence[Student]) -> None:
    """Name the comments that another student's name or id is in; a marker may mean it."""
    for result in wanted:
        for item, other in naming_others(result, students):
            named = f"{other.id} ({other.name})" if other.name else other.id
            warn(
                f"{result.student} {result.assignment}: the comment on {item} names another "
                f"student, {named}; the page has it: change the comment if you do not mean it"
            )


def _print(
    to: Path, wanted: Sequence[Result], changed: Sequence[str], zips: Mapping[str, bytes]
) -> None:
    waiting = sum(r.totals.manual_pending > 0 and r.outcome not in WITHOUT_POINTS for r in wanted)
    failed = sum(result.outcome == UNGRADED for result in wanted)
    say(f"{counted(len(wanted), 'page')}, {len(changed)} of them new or changed: {to}")
    if waiting:
        say(f"{waiting} still say “pending”, as parts are not marked yet")
    if failed:
        say(f"{failed} say that the grader failed: grade again before you give them back")
    for path in sorted(zips):
        say(f"Zip      {to / path}")

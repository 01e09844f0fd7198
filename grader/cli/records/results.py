"""The output of `grade`, `report` and `demo`: files, a table, failing tests in full."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from grader.course.course import Course

from ... import report
from ...classroom.roster import NOBODY, Roster, abridged
from ...exchange import results_files
from ...exchange.results_files import replace_file
from ...gradebook import manual, marking_worklist, stored_roster
from ...gradebook.database.connection import locked
from ...gradebook.manual import ManualMarks
from ...gradebook.result import Result
from ...gradebook.rules import late_policy, policy
from ...gradebook.store import Store
from ...report import plain_text
from ...report.overview import unequal_marks
from ..output import OutputProblem, UsageProblem, say, warn
from . import class_list, stores


@dataclass(frozen=True)
class Written:
    """The results with manual marks applied, the class, and the files that hold them."""

    results: list[Result]
    roster: Roster
    report: Path
    dashboard: Path
    csv: Path
    json: Path
    marks: Path

    def of(self, run: Sequence[Result]) -> list[Result]:
        """The results of one run, with manual marks applied."""
        names = {(result.student, result.assignment) for result in run}
        return [r for r in self.results if (r.student, r.assignment) in names]


def prepare(folder: Path) -> None:
    """Create the output folder, before anything is graded.

    Raises UsageProblem if it is a file, OutputProblem if it cannot be created.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageProblem(f"{folder}: is a file; give a folder for results and report")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputProblem(
            f"{folder}: cannot be created ({error.strerror}); give a writable folder"
        ) from None


def write(store: Store, course: Course, folder: Path) -> Written:
    """Write the report, CSV, JSON and the list of what is left to mark, for the whole store.

    Manual marks and the rules for late work are applied first. Warnings go to stderr.
    """
    with locked(folder):  # another grader may be writing these files
        return _write(store, course, folder)


def _write(store: Store, course: Course, folder: Path) -> Written:
    for change in store.keep_rules(course):
        warn(f"from now on: {change.sentence}")
    found, marks = counted_results(store, course), store.manual(course)
    store.count(found)
    roster = stored_roster.read(store)
    written = Written(
        found,
        roster,
        folder / "report.html",
        folder / "dashboard.html",
        folder / "grades.csv",
        folder / "results.json",
        folder / "to_mark.csv",
    )
    shown = report.shown(found)
    replace_file(written.report, report.render(shown, course, roster))
    _write_pages(folder, shown, course, roster)
    replace_file(written.dashboard, report.render_dashboard(shown, course, roster))
    replace_file(written.csv, results_files.to_csv(found, course))
    replace_file(written.json, results_files.to_json(found))
    _write_marks(written.marks, found, marks, store)
    for warning in [*_held(found, written.marks), *_unequal(found, written.dashboard)]:
        warn(warning)
    return written


def _write_pages(folder: Path, shown: Sequence[Result], course: Course, roster: Roster) -> None:
    """Write the pages behind the report that changed; remove those of who or what is gone."""
    pages = dict(report.render_pages(shown, course, roster))
    pages |= dict(report.render_classes(shown, course, roster))
    place = folder / report.PAGES
    prepare(place)
    for old in (*place.glob("student*.html"), *place.glob("class-*.html")):
        if f"{report.PAGES}/{old.name}" not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            replace_file(path, text)


def _held(found: Sequence[Result], list_: Path) -> list[str]:
    """A sentence about the marks that do not count, as what they were given for has changed."""
    names = [
        f"{result.student} {mark.item or result.assignment}"
        for result in found
        for mark in result.held
    ]
    if not names:
        return []
    many = "1 mark is" if len(names) == 1 else f"{len(names)} marks are"
    return [
        f"{many} held, because the answer has changed since: {abridged(names)}; both answers are "
        f"in the report, and {list_} asks again"
    ]


def _unequal(found: Sequence[Result], dashboard: Path) -> list[str]:
    """A sentence about equal answers that have unequal marks."""
    unequal = unequal_marks(found)
    if not unequal:
        return []
    items = ", ".join(sorted({one.item for one in unequal}))
    many = plain_text.counted(len(unequal), "answer")
    return [f"equal answers have unequal marks: {many} to {items}; {dashboard} lists them"]


def counted_results(
    store: Store,
    course: Course,
    notice: Callable[[str], None] = warn,
    roster: Roster = NOBODY,
) -> list[Result]:
    """The newest results, with marks and the rules for late work; `notice` gets the warnings.

    The rules are those in force; see `policy`. The terms of a `roster` count over stored ones.
    """
    course = policy.under(course, store.rules())
    marks, found = store.manual(course), store.latest()
    ids = [assignment.id for assignment in course.graded]
    known = [result for result in found if result.assignment in ids]
    if gone := sorted({result.assignment for result in found} - {*ids}):
        notice(f"results of {', '.join(gone)} are left out: course.toml has no such assignment")
    for warning in [*marks.unknown(known), *marks.outdated(known)]:
        notice(warning)
    return counted(known, marks, store, roster)


def counted(
    results: Iterable[Result], marks: ManualMarks, store: Store, roster: Roster = NOBODY
) -> list[Result]:
    """Results with manual marks, and the stored terms and rules for late work or a roster's."""
    marked = [manual.apply(result, marks) for result in results]
    terms = late_policy.with_roster(stored_roster.terms(store), roster)
    allowances = stored_roster.allowances(store) | roster.allowances
    counting = late_policy.applied(marked, marks.course, terms, allowances)
    return store.with_open_questions(counting)


class Stored(NamedTuple):
    """The class, what `grade` stored of it, and the course with the rules by which it counts."""

    roster: Roster
    results: list[Result]
    course: Course


def stored(roster: Path | None, course: Course, folder: Path, url: str | None) -> Stored:
    """Read the store in a folder or at a URL, by the terms of a roster that a command is given.

    Raises UsageProblem if there are no results.
    """
    with stores.existing(folder, url) as store:
        stores.check_filled(store)
        whole = class_list.announced(class_list.of_store(store, roster, course))
        found = counted_results(store, course, roster=whole)
        course = policy.under(course, store.rules())
    return Stored(whole, [one for one in found if one.student not in whole.left], course)


def _write_marks(path: Path, found: list[Result], marks: ManualMarks, store: Store) -> None:
    """Write the list of what is left to mark, with the rows filled in but not yet stored."""
    filled = marking_worklist.filled_in(
        path, marks, frozenset((kept.item, kept.mark.comment) for kept in store.marks())
    )
    if filled.keep:
        warn(f"{filled.notice}; the file is kept as {marking_worklist.put_aside(path)}")
    elif filled.notice:
        warn(f"{filled.notice}; to store them: course report {path.parent} --manual {path}")
    replace_file(path, marking_worklist.text(found, filled.marks))


@contextmanager
def progress(total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A progress bar on stderr; call the function it yields once per submission, with its name."""
    if quiet:
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, TextColumn("{task.description}"), console=Console(stderr=True)) as bar:
        task = bar.add_task("starting the sandbox", total=total)
        yield lambda text: bar.update(task, advance=1, description=text)


def print_table(results: Sequence[Result]) -> None:
    from rich.console import Console

    from ...report.table import table

    console = Console()
    console.print(table(results, console.width))


def print_failures(result: Result) -> None:
    """Print every failing test of one submission in full."""
    for entry in result.exercises:
        if any(test.outcome != "PASSED" for test in entry.tests):
            print_exercise(result, entry.id)


def print_exercise(result: Result, exercise: str) -> None:
    from ...report.table import show_test

    say(show_test(result, exercise))

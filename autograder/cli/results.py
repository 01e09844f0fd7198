"""What `grade`, `report` and `demo` write and print: files, a table, failing tests in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.syllabus import Syllabus

from .. import report
from ..gradebook import exports, manual
from ..gradebook.manual import Manual
from .problems import UsageProblem

Result = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """The results as they count, marks by hand included, and the files that hold them."""

    results: list[Result]
    report: Path
    csv: Path
    json: Path
    marks: Path


def prepare(folder: Path) -> None:
    """Make the output folder, before anything is graded. Raises UsageProblem when it is a file."""
    if folder.exists() and not folder.is_dir():
        raise UsageProblem(f"{folder}: is a file; give a folder for results and report")
    folder.mkdir(parents=True, exist_ok=True)


def write(
    results: Sequence[Result], course: Syllabus, folder: Path, by_hand: Manual | None
) -> Written:
    """Apply marks by hand and write report, CSV, JSON and the list of what is left to mark."""
    marks = by_hand or Manual(course)
    counted = [manual.apply(result, marks) for result in results]
    written = Written(
        counted,
        folder / "report.html",
        folder / "grades.csv",
        folder / "results.json",
        folder / "to_mark.csv",
    )
    _replace(written.report, report.render(counted, course))
    _replace(written.csv, exports.to_csv(counted, course))
    _replace(written.json, exports.to_json(counted))
    _replace(written.marks, manual.template(counted))
    return written


def _replace(path: Path, text: str) -> None:
    """Write beside and rename: a full disk leaves the file of the last run whole."""
    fresh = path.with_suffix(path.suffix + ".new")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


@contextmanager
def progress(total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A bar on stderr; the body calls what it is given once a submission."""
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


def print_table(results: Sequence[Result], course: Syllabus) -> None:
    from rich.console import Console

    from ..report.table import table

    Console().print(table(results))


def print_failures(result: Result) -> None:
    """Every failing test of one submission, in full."""
    for entry in result["exercises"]:
        if any(test["outcome"] != "PASSED" for test in entry.get("tests", [])):
            print_exercise(result, entry["id"])


def print_exercise(result: Result, exercise: str) -> None:
    from ..report.table import show_test

    print(show_test(result, exercise))

"""Results for the terminal: a table of a class, and the failed tests of one exercise."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from grader.checking.messages import Message, cause_label

from ..gradebook.exercise_result import GradedTest, PartResult
from ..gradebook.result import Result
from ..gradebook.totals import UNGRADED, WITHOUT_POINTS, Totals
from .plain_text import cleaned, number, shortened
from .sentences import TEST_OUTCOMES, cause_sentence, main_cause

_COLORS = {"GRADED": "green", "INVALID": "red", UNGRADED: "red", "CRASHED": "red"}
_PARTS = ("expected", "got", "cause", "read")


def table(results: Sequence[Result]) -> Table:
    """One row per student and assignment: score, automatic and manual points, outcome, cause."""
    shown = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    shown.add_column("student", overflow="fold")
    shown.add_column("", no_wrap=True)
    for name in ("score", "automatic", "manual"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("outcome", no_wrap=True)
    shown.add_column("main cause")  # shortened on a narrow terminal
    for result in map(cleaned, results):
        totals = result.totals
        shown.add_row(
            Text(result.student),
            result.assignment,
            Text(_score(totals), style="bold"),
            f"{number(totals.automatic)}/{number(totals.automatic_max)}",
            _manual(result),
            Text(result.outcome, style=_COLORS.get(result.outcome, "yellow")),
            Text(main_cause(result).replace("\n", " "), overflow="ellipsis", no_wrap=True),
        )
    return shown


def show_test(result: Result, exercise: str) -> str:
    """One exercise in full: its written answers, and every failed test with its message.

    Raises KeyError with a readable message if the result has no such exercise.
    """
    result = cleaned(result)
    known = {e.id: e for e in result.exercises}
    if exercise not in known:
        ids = ", ".join(known)
        raise KeyError(f"{result.student} has no exercise {exercise!r}; there are {ids}")
    entry = known[exercise]
    lines = [
        f"{result.student}, {result.assignment}: {entry.id} {entry.title}, "
        f"{number(entry.points)} of {number(entry.max_points)} points ({entry.status})"
    ]
    if result.reason:
        lines.append(f"{result.outcome}: {result.reason}")
    if cause := cause_sentence(entry):
        lines.append(cause)
    for part in entry.parts:
        lines += ["", *_part(part)]
    failed = [test for test in entry.tests if test.outcome != "PASSED"]
    for test in failed:
        lines += ["", *_test(test)]
    if count := len(entry.tests):
        lines += ["", f"{count - len(failed)} of {count} passed"]
    return "\n".join(lines)


def _score(totals: Totals) -> str:
    if totals.excused:
        return "excused"
    late = f" ({totals.late_days} d late)" if totals.late_days else ""
    return f"{number(totals.total)}/{number(totals.max)}{late}"


def _manual(result: Result) -> str:
    totals = result.totals
    if result.outcome in WITHOUT_POINTS:
        return ""
    given = [number(totals.manual)] if totals.manual is not None else []
    waiting = [f"{totals.manual_pending} pending"] if totals.manual_pending else []
    waiting += [f"{len(result.held)} held"] if result.held else []
    return ", ".join(given + waiting)


def _test(test: GradedTest) -> list[str]:
    kept = "carried through: points kept" if test.carried_through else ""
    kind = TEST_OUTCOMES.get(test.outcome, "")
    place = "visible check" if test.public else "hidden test"
    earned = f"{number(test.points)} of {number(test.max_points)}"
    facts = "; ".join(filter(None, [kind, kept, place, earned]))
    sign = "↷" if test.carried_through else "✗"
    lines = [f"{sign} {test.title} ({facts})", f"  {test.id}"]
    message = test.message or Message()
    for key in _PARTS:
        label = cause_label(message.seen) if key == "cause" else key
        if text := getattr(message, key):
            lines += textwrap.indent(shortened(text), " " * 16).splitlines()
            first = -len(shortened(text).splitlines())
            lines[first] = f"  {label:<14}{lines[first].strip()}"
    if test.bug:
        known = f"{test.known_as} [{test.bug}]".lstrip()
        lines.append(f"  {'known mistake':<14}{known}")
    return lines


def _part(part: PartResult) -> list[str]:
    points = f"{number(part.points)} of {number(part.max_points)}"
    words = f"{part.words} of at most {part.word_limit} words"
    facts = "; ".join(filter(None, [points, words, part.notice]))
    lines = [f"{part.id} {part.title} ({facts})"]
    lines += textwrap.indent(part.answer or "no answer was found", "  ").splitlines()
    return lines + ([f"  comment: {part.comment}"] if part.comment else [])

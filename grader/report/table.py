"""Results for the terminal: a table of a class, and the failed tests of one exercise."""

import textwrap
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from grader.checking.messages import Message

from ..gradebook.exercise_result import GradedTest, PartResult
from ..gradebook.result import Result
from ..gradebook.totals import UNGRADED, WITHOUT_POINTS, Totals
from .plain_text import cleaned, number, shortened
from .sentences import TEST_OUTCOMES, cause_sentence, main_cause, sign_of

_COLORS = {"GRADED": "green", "INVALID": "red", UNGRADED: "red", "CRASHED": "red"}
HEADS = {head: head for head in ("student", "", "score", "automatic", "manual", "outcome")}
GAP = 2  # between columns
LONGEST_ID = 30  # characters in the column of students
SHORTEST_CAUSE = 32  # characters beside the columns


def table(results: Sequence[Result], width: int) -> Text:
    """One line per student and assignment: score, automatic and manual points, outcome, cause.

    In `width` characters and with whole ids: where there is no room, causes have lines of their
    own, then the points of which the score is made are left out.
    """
    found = [cleaned(result) for result in results]
    rows = [HEADS, *map(_row, found)]
    columns = list(HEADS)
    widths = {head: max(cell_len(row[head]) for row in rows) for head in columns}
    widths["student"] = min(widths["student"], LONGEST_ID)
    for head in ("automatic", "manual"):
        if sum(widths[name] + GAP for name in columns) > width:
            columns.remove(head)
    over = sum(widths[name] + GAP for name in columns) - width
    widths["student"] = max(len("student"), widths["student"] - max(over, 0))
    causes = [" ".join(main_cause(result).split()) for result in found]
    room = width - sum(widths[name] + GAP for name in columns)
    beside = room >= min(SHORTEST_CAUSE, max(map(len, causes), default=0))
    lines = Text(no_wrap=True, overflow="ignore")
    for row, cause in zip(rows, ["main cause" * beside, *causes], strict=True):
        lines.append(_line(row, columns, widths))
        if cause:
            lines.append(" " * GAP if beside else "\n    ")
            room, most = (room, 1) if beside else (width - 4, 2)
            lines.append(
                "\n    ".join(textwrap.wrap(cause, room, max_lines=most, placeholder=" …"))
            )
        lines.rstrip()
        lines.append("\n")
    lines.rstrip()
    return lines


def _row(result: Result) -> dict[str, str]:
    totals = result.totals
    points = f"{number(totals.automatic)}/{number(totals.automatic_max)}"
    cells = (result.student, result.assignment, _score(totals), points, _manual(result))
    return dict(zip(HEADS, (*cells, result.outcome), strict=True))


def _line(row: Mapping[str, str], columns: Sequence[str], widths: Mapping[str, int]) -> Text:
    """The cells in columns; an id that is longer than its column has a line of its own."""
    line = Text(style="dim" if row is HEADS else "")
    for head in columns:
        space = " " * (widths[head] - cell_len(row[head]))
        if head == "student" and cell_len(row[head]) > widths[head]:
            space = "\n" + " " * widths[head]
        cell = Text(row[head], style=_style(head, row[head]) if row is not HEADS else "")
        right = head in ("score", "automatic", "manual")
        line.append(space if right else cell).append(cell if right else space)
        line.append(" " * GAP * (head != columns[-1]))
    return line


def _style(head: str, cell: str) -> str:
    if head == "outcome":
        return _COLORS.get(cell, "yellow")
    return "bold" if head == "score" else ""


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
    if cause := cause_sentence(entry, result):
        lines.append(cause)
    for part in entry.parts:
        lines += ["", *_part(part)]
    for found in entry.failures:
        several = len(found.tests) > 1
        lines += ["", *_message(found.shared, found.label)] if several else []
        for test, own in found.tests:
            message = own if several else found.shared
            lines += ["", *_test(test), *_message(message, found.label)]
    others = [test for test in entry.tests if test.outcome != "PASSED" and not test.failed]
    for test in others:
        lines += ["", *_test(test), *_message(test.message or Message())]
    if count := len(entry.tests):
        passed = sum(test.outcome == "PASSED" for test in entry.tests)
        lines += ["", f"{passed} of {count} passed"]
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
    lines = [f"{sign_of(test)} {test.title} ({facts})", f"  {test.id}"]
    if test.bug:
        known = f"{test.known_as} [{test.bug}]".lstrip()
        lines.append(f"  {'known mistake':<14}{known}")
    return lines


def _message(message: Message, label: str = "") -> list[str]:
    """Its parts, each with its label; `label` is that of its cause."""
    lines = list[str]()
    for name, text in message.lines(label):
        first, *more = shortened(text).splitlines() or [""]
        lines += [f"  {name:<14}{' ' * (len(name) > 13)}{first.strip()}"]
        lines += [f"{'':16}{line}" for line in more]
    return lines


def _part(part: PartResult) -> list[str]:
    points = f"{number(part.points)} of {number(part.max_points)}"
    words = f"{part.words} of at most {part.word_limit} words"
    facts = "; ".join(filter(None, [points, words, part.notice]))
    lines = [f"{part.id} {part.title} ({facts})"]
    lines += textwrap.indent(part.answer or "no answer was found", "  ").splitlines()
    return lines + ([f"  comment: {part.comment}"] if part.comment else [])

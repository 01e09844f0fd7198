"""The output of a check: a card in a notebook, plain text in a terminal and in the saved file."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape

from ..course.assignment import Assignment
from ..course.exercise import Exercise
from ..seam.errors import NOT_WRITTEN as AT_ITS_STUB
from .messages import (
    NOT_WRITTEN,
    RAISED,
    WAITING,
    Checked,
    Failures,
    Message,
    by_cause,
    is_unwritten,
    summary,
)
from .session import TestResult

# The page's own text color on a veil of gray, and accents of middle lightness: the same rules suit
# a light and a dark page, and a viewer that removes them leaves readable text.
STYLE = """<style>.check-card{border-left:4px solid #8b8b8b;background:#80808014;color:inherit;
padding:.5em .9em;margin:.2em 0;max-width:56em;line-height:1.45;overflow-wrap:anywhere}
.check-card.all{border-color:#2b9a53}.check-card.some{border-color:#dd4b4b}
.check-card p{margin:.25em 0}.check-card section{margin:.7em 0}
.check-card ul{list-style:none;margin:.2em 0;padding:0}.check-card li{margin:.15em 0}
.check-card .check-line{font-family:var(--jp-code-font-family,monospace);font-size:.93em;
white-space:pre-wrap;background:none!important;border:0;color:inherit;margin:0;
padding:0 0 0 11ch!important;text-indent:-11ch;
word-break:normal!important;line-height:1.45}
.check-card code{background:#80808026;color:inherit;padding:0 .2em}
.check-card summary{cursor:pointer;opacity:.85}.check-card i{font-style:normal;font-weight:700}
.check-card .no{color:#dd4b4b}.check-card .yes{color:#2b9a53}.check-card .why{color:#b7791f}
</style>""".replace("\n", "")
NO_FORMULAS = "tex2jax_ignore mathjax_ignore"  # MathJax, 2 and 3, takes no $ for a formula's begin
WIDTH = 9  # of a label; two spaces follow


@dataclass(frozen=True)
class Card:
    """One exercise's visible checks; without `tests`, nothing but what is to be done first."""

    title: str
    tests: Sequence[Checked] = ()
    outdated: Sequence[str] = ()  # about definitions that were not run, or not since an edit
    first: str = ""  # what to repair before this exercise
    notices: Sequence[str] = ()

    def __repr__(self) -> str:
        lines = [f"{self.title}: {sentence}" for sentence in self.outdated]
        lines += summary(self.title, self.tests, first=self.first) if self.tests else []
        return "\n".join([*lines, *(f"  ! {notice}" for notice in self.notices)])

    def _repr_html_(self) -> str:
        tests, passed = self.tests, [test for test in self.tests if test.message is None]
        count = f"{len(passed)} of {len(tests)} visible checks pass" if tests else ""
        if is_unwritten(tests):
            count, tests = NOT_WRITTEN, ()
        outdated = list(self.outdated)
        if not self.tests and len(outdated) == 1:
            count = outdated.pop()
        state = "" if not tests else " all" if len(passed) == len(tests) else " some"
        parts = [f"<p><b>{escape(self.title)}</b>{f': {_prose(count)}' if count else ''}</p>"]
        first = [self.first] if self.first else []
        parts += [_line("why", "!", text) for text in [*outdated, *first, *self.notices]]
        failed = (test for test in tests if test.message and test.outcome != WAITING)
        for failures in by_cause(failed, elsewhere=bool(first)):
            parts.append(f"<section>{_paragraph(failures)}</section>")
        for test in tests:
            if test.outcome == WAITING and test.message:
                parts.append(_line("why", "○", f"{test.title} It {test.message.got}."))
        if tests and passed:
            titles = [_line("yes", "✓", test.title) for test in passed]
            parts.append(_folded("Passed checks", titles))
        return f'{STYLE}<div class="check-card{state} {NO_FORMULAS}">{"".join(parts)}</div>'


def _paragraph(failures: Failures[Checked]) -> str:
    """Tests that fail for one reason: the first of them and the reason, the others folded."""
    (first, _), *others = failures.tests
    whole = replace(first.message or Message(), cause=failures.shared.cause)
    shown = _line("no", "✗", first.title) + _message(whole)
    titles = [_line("no", "✗", test.title) + _message(own) for test, own in others]
    more = "1 more fails" if len(titles) == 1 else f"{len(titles)} more fail"
    head = f"{more} for the same reason"
    return shown + (_folded(head, titles) if titles else "")


def _message(message: Message) -> str:
    """The expected value and the one that came, aligned; then the cause, and where to read."""
    shown = ""
    for label, text in message.lines():
        if label in ("expected", "got"):
            if label == "got" and text.startswith(RAISED):
                label, text = "raised", text.removeprefix(RAISED)
            shown += f'<pre class="check-line">{label:{WIDTH}}  {escape(text)}</pre>'
        else:
            shown += f"<p><b>{label.capitalize()}:</b> {_prose(text)}</p>"
    return shown


def _line(kind: str, sign: str, text: str) -> str:
    return f'<p><i class="{kind}">{sign}</i> {_prose(text[:1].upper() + text[1:])}</p>'


def _prose(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _folded(head: str, parts: Sequence[str]) -> str:
    items = "".join(f"<li>{part}</li>" for part in parts)
    return f"<details><summary>{escape(head)}</summary><ul>{items}</ul></details>"


def to_repair(
    assignment: Assignment, exercise: Exercise, checked: Callable[[Exercise], Sequence[TestResult]]
) -> str:
    """One sentence on the first failing exercises below a failing one; "" if there are none.

    `checked` gives the results of an exercise's own checks.
    """
    wrong = dict[str, bool]()  # whether it is written
    for id in assignment.upstream(exercise):
        below = assignment.exercise(id)
        if wrong.keys().isdisjoint(assignment.upstream(below)):
            failed = [result.outcome for result in checked(below) if result.message]
            if failed:
                wrong[id] = set(failed) != {AT_ITS_STUB}
    failing = [id for id, written in wrong.items() if written]
    open_ones = [id for id, written in wrong.items() if not written]
    said = [f"{_listed(failing, 'fails', 'fail')}: repair {_them(failing)} first"]
    said += [f"{_listed(open_ones, 'is', 'are')} not written yet: write {_them(open_ones)} first"]
    return "; ".join(text for text, ids in zip(said, (failing, open_ones), strict=True) if ids)


def _listed(ids: list[str], one: str, several: str) -> str:
    *others, last = ids or [""]
    return f"{', '.join(others)} and {last} {several}" if others else f"{last} {one}"


def _them(ids: list[str]) -> str:
    return "them" if len(ids) > 1 else "it"

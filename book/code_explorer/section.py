"""One component of the explorer as HTML: what it is, its source, and where one can go from it."""

import ast
import re
from collections.abc import Callable, Iterator
from html import escape

from docutils import nodes

from grader.course.course import Course

from ..quotations import PAPER
from .catalog import Entry
from .lectures import Lectures, Spot, anchors

LIVE = {
    "text": "the translation",
    "positions": "switch the positions off",
    "causal": "switch the mask of later words off",
    "cross": "the heads of the cross-attention",
    "self": "the heads of the decoder's self-attention",
    "encoder": "the heads of the encoder",
    "stream": "the vectors after every step",
    "beam": "the beam as a tree",
}
BACK = '<a href="#code-drawing">The drawing</a>'


class Sections:
    """Makes the section of each component; `address` is that of a spot in a lecture."""

    def __init__(
        self, order: tuple[Entry, ...], treated: Lectures, address: Callable[[Spot], str]
    ) -> None:
        self.order, self.treated, self.address = order, treated, address

    def of(self, entry: Entry) -> Iterator[nodes.Node]:
        """Its nodes: HTML around a block of code, which Sphinx colors."""
        summary = f"<p>{_with_code(_summary(entry.source))}</p>" if entry.source else ""
        rows = "".join(
            f"<div><dt>{name}</dt><dd>{said}</dd></div>" for name, said in self._facts(entry)
        )
        yield _html(
            f'<section class="code-component" id="{entry.id}" aria-labelledby="{entry.id}-name">'
            f'<h3 id="{entry.id}-name" tabindex="-1">{_name(entry)}</h3>'
            f"{summary}<dl>{rows}</dl>"
        )
        if entry.source:
            yield nodes.literal_block(entry.source, entry.source, language="python")
        yield _html(f"{self._ways(entry)}</section>")

    def _facts(self, entry: Entry) -> Iterator[tuple[str, str]]:
        number, exercise = entry.assignment.id[1:], entry.exercise
        where = "not shown yet: it would give an answer away"
        if entry.source:
            where = f"line {entry.first_line}; {len(entry.source.splitlines())} lines"
            left = ", the body left to you" if exercise else ", without its body"
            where += left if entry.is_stub else ""
        yield "Source", f"<code>{entry.file}</code>, {where}"
        yield "Part of", escape(entry.group.title)
        if exercise:
            numbers = list(map(str, Course.here().weeks_of(entry.assignment)))
            weeks = f"week{'s' * (len(numbers) > 1)} {' and '.join(numbers)}"
            yield (
                "Exercise",
                f"{exercise.id} {escape(exercise.title)} (assignment {number}, {weeks}, "
                f"about {exercise.minutes} minutes)",
            )
        if said := anchors(f"{entry.source} {exercise.section if exercise else ''}"):
            yield "Paper", ", ".join(map(self._anchor, said))
        if spots := self._lectures(entry):
            links = (f'<a href="{self.address(s)}">{escape(s.title)}</a>' for s in spots)
            yield "Lecture", ", ".join(links)
        if live := entry.group.live:
            address = f"live.html?show={live}"
            yield "Live model", f'<a href="{address}">{escape(LIVE[live])}</a>'

    def _anchor(self, anchor: str) -> str:
        spot = self.treated.on(anchor)
        if spot is None:
            return f'<a href="{PAPER}">{escape(anchor)}</a>'
        title = f' title="{escape(spot.title, quote=True)}"'
        return f'<a href="{self.address(spot)}"{title}>{escape(anchor)}</a>'

    def _lectures(self, entry: Entry) -> list[Spot]:
        """Where it is quoted; or the part that lists its exercise; or the parts of its week."""
        component, exercise = entry.component, entry.exercise
        spot = self.treated.components.get(f"{component.module}:{component.name}")
        spot = spot or (self.treated.exercises.get(exercise.id) if exercise else None)
        if spot:
            return [spot]
        weeks = Course.here().weeks_of(entry.assignment)
        numbers = [n for w in Course.here().weeks if w.number in weeks for n in w.parts]
        return [self.treated.parts[n] for n in dict.fromkeys(numbers) if n in self.treated.parts]

    def _ways(self, entry: Entry) -> str:
        at = self.order.index(entry)
        before, after = self.order[:at][-1:], self.order[at + 1 :][:1]
        links = [
            *(f'<a rel="prev" href="#{e.id}">←&nbsp;{_name(e)}</a>' for e in before),
            BACK,
            *(f'<a rel="next" href="#{e.id}">{_name(e)}&nbsp;→</a>' for e in after),
        ]
        return f'<nav aria-label="Around {escape(entry.label)}">{"".join(links)}</nav>'


def _name(entry: Entry) -> str:
    return f"<code>{escape(entry.label)}</code>"


def _summary(source: str) -> str:
    """The first paragraph of the docstring, in one line."""
    definition = ast.parse(source).body[0]
    assert isinstance(definition, (ast.FunctionDef, ast.ClassDef))
    said = ast.get_docstring(definition) or ""
    return " ".join(said.partition("\n\n")[0].split())


def _with_code(text: str) -> str:
    """Text of a docstring, with its backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")

"""The first slide of a deck, its footer, and `{decks}`: the list of decks with a picture of each.

The picture is the slide itself, smaller: one function writes both, and one style sheet sizes
everything by the width it is given. So the list needs no browser when the site is built.
"""

import math
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import DECKS
from grader.course.course import Course

from ..weeks import lectures, of_lecture

FILE = re.compile(r"part(\d+)_\w+")  # the name of a lecture
GRID = 14  # positions along each side of the pattern
_SLIDE = re.compile(r"^[:`]{3,}\{slide\}", re.MULTILINE)
_FURTHER = 4  # slides that every deck has: the first, the hook, the outcomes, the recap


@dataclass(frozen=True)
class Lecture:
    """A part as a deck names it."""

    number: int
    name: str
    course: str

    @classmethod
    def of(cls, title: str) -> "Lecture":
        """The lecture with this heading, "Part 2: Self-attention". Raises ValueError."""
        found = re.fullmatch(r"Part (\d+): (.+)", title)
        if found is None:
            raise ValueError(f"a lecture is titled `Part N: …`, not {title!r}")
        return cls(int(found[1]), found[2], Course.here().facts.title)


def first(lecture: Lecture, heading: str) -> str:
    """The first slide; `heading` is the tag of its title: h1 in the deck, p in its picture."""
    paper = escape(Course.here().facts.paper)
    return (
        '<div class="first-slide"><div class="first-slide-page">'
        f"{_pattern(lecture.number)}"
        f'<{heading} class="first-slide-title"><span>Part {lecture.number}</span> '
        f"{escape(lecture.name)}</{heading}>"
        f'<p class="first-slide-course">{escape(lecture.course)}<br>{paper}</p>'
        "</div></div>"
    )


def _pattern(number: int) -> str:
    """How alike two positions' sinusoids are (§3.5), for a pair of dimensions more in each part."""
    pairs = number + 1
    rates = [10000 ** (-one / pairs) for one in range(pairs)]
    squares = []
    for row in range(GRID):
        for column in range(GRID):
            alike = sum(math.cos((row - column) * rate) for rate in rates) / pairs
            place = f'x="{10 * column}" y="{10 * row}"'
            shade = f'opacity="{max(alike, 0) ** 2:.2f}"'
            squares.append(f'<rect {place} width="9" height="9" rx="1.5" {shade}/>')
    size = 10 * GRID
    drawn = "".join(squares)
    about = f'class="first-slide-pattern" viewBox="0 0 {size} {size}" aria-hidden="true"'
    return f"<svg {about}>{drawn}</svg>"


def footer(lecture: Lecture) -> str:
    """The lower edge of every further slide."""
    return (
        '<p class="deck-footer" aria-hidden="true">'
        f"<span>Part {lecture.number} · {escape(lecture.name)}</span>"
        f"<span>{escape(lecture.course)}</span></p>"
    )


def slides_of(lecture: Path) -> int:
    """How many slides its deck has."""
    text = lecture.read_text(encoding="utf-8")
    return len(_SLIDE.findall(text)) + len(of_lecture(lecture).activities) + _FURTHER


class DecksDirective(SphinxDirective):
    """`{decks}`: a card for each deck."""

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # titles and numbers of slides are in other pages
        shown = (
            path for path in lectures(Path(self.env.srcdir)) if path.stem in self.env.found_docs
        )
        cards = "".join(map(_card, shown))
        return [nodes.raw("", f'<ul class="decks">{cards}</ul>', format="html")]


def _card(path: Path) -> str:
    row = of_lecture(path)
    title = row.title.replace("'", "’")  # as Sphinx sets it in the deck
    address = f"{DECKS}/{path.stem}.html"
    return (
        f'<li><a href="{address}">'
        f'<span class="visually-hidden">Slides of {escape(title)}</span>'
        f'<div class="deck-picture" aria-hidden="true">{first(Lecture.of(title), "p")}</div>'
        f"</a><p>{slides_of(path)} slides, {row.minutes} minutes in class · "
        f'<a href="{address}?print-pdf">to print'
        f'<span class="visually-hidden">: {escape(title)}</span></a></p></li>'
    )


def setup(app: Sphinx) -> None:
    """Register the directive and its style sheet."""
    app.add_directive("decks", DecksDirective)
    app.add_css_file("first_slide.css")

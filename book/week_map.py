"""`{week-map}`: week by week, what to read, answer and build, and when it is due.

All of it is read from `course.toml`, the lectures and the quizzes. Dates and progress of the
reader's own are the business of `_static/progress.js`; see `steps`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import CHECKOUT
from grader.authoring.views import setup_cell, texts
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_file import shown

from . import steps, timetable
from .quizzes import quiz


@dataclass(frozen=True)
class Stage:
    """Weeks that are spent on one assignment, and the parts that are read meanwhile."""

    weeks: tuple[int, ...]
    parts: tuple[int, ...]
    assignment: Assignment | None

    @property
    def title(self) -> str:
        several = len(self.weeks) > 1
        return f"Weeks {self.weeks[0]}–{self.weeks[-1]}" if several else f"Week {self.weeks[0]}"


def stages(course: Course) -> list[Stage]:
    """The weeks in order; those with the same assignment are one stage."""
    found = []
    for id, group in groupby(course.weeks, key=lambda week: week.assignment):
        weeks = list(group)
        parts = dict.fromkeys(number for week in weeks for number in week.parts)
        numbers = tuple(week.number for week in weeks)
        found.append(Stage(numbers, tuple(parts), course.assignment(id) if id else None))
    return found


def due(assignment: Assignment) -> str:
    """When it is due, for people."""
    at = assignment.due.astimezone(assignment.zone)
    return f"{at:%A}, {at.day} {at:%B %Y}, {at:%H:%M} {at.tzname()}"


class WeekMapDirective(SphinxDirective):
    """`{week-map}`: a card for each stage, with its links."""

    def run(self) -> list[nodes.Node]:
        course = Course.here()
        self.env.note_dependency(str(CHECKOUT / "course.toml"))
        self.env.note_reread()  # minutes and titles are in other pages
        made = nodes.container(classes=["week-map"])
        self.set_source_info(made)
        begins = min(assignment.released for assignment in course.assignments)
        made += _html(_PLAN.format(begins=begins.isoformat(), weeks=course.weeks[-1].number))
        for stage in stages(course):
            made += list(self._card(course, stage))
        if course.labs:
            made += _html(labs_of(course))
        return [made]

    def _card(self, course: Course, stage: Stage) -> Iterator[nodes.Node]:
        id = f"week-{stage.weeks[0]}"
        weeks = f'data-first="{stage.weeks[0]}" data-last="{stage.weeks[-1]}"'
        yield _html(
            f'<section class="week" aria-labelledby="{id}" {weeks}>'
            f'<h3 id="{id}">{stage.title}</h3><ul class="steps">'
        )
        for number in stage.parts:
            yield from self._part(number)
        for number in stage.parts:
            yield from self._quiz(steps.part(number))
        if stage.assignment:
            yield _html(step_of(course, stage.assignment))
        yield _html("</ul></section>")

    def _part(self, number: int) -> Iterator[nodes.Node]:
        path = next(Path(self.env.srcdir).glob(f"part{number}_*.md"), None)
        if path is None:
            raise self.error(f"course.toml has a part {number}, but there is no part{number}_….md")
        row = timetable.of_lecture(path)
        yield from self._step(
            steps.part(number), "Read", row.title, path.stem, f"{row.minutes} minutes in class"
        )

    def _quiz(self, name: str) -> Iterator[nodes.Node]:
        if name in quiz.names():
            asked = quiz.load(name)
            title = f"Quiz {asked.part}"
            facts = f"{len(asked.questions)} questions"
            yield from self._step(steps.quiz(name), "Answer", title, f"quiz_{name}", facts)

    def _step(
        self, step: str, verb: str, title: str, page: str, facts: str
    ) -> Iterator[nodes.Node]:
        yield _html(f"<li>{steps.mark(step, title)}<div><b>{verb}</b> ")
        link = f"{{doc}}`{title} <{page}>`"
        paragraph = next(iter(self.parse_text_to_nodes(link)))
        yield nodes.inline("", "", *paragraph.children)
        yield _html(f' <span class="facts">{facts}</span></div></li>')


def labs_of(course: Course) -> str:
    """The optional labs, which are no steps: what is built, how long it takes, where it is."""
    items = "".join(
        f"<li><b>{lab.label}</b> {escape(lab.title)} "
        f'<span class="facts">about {texts.hours(lab.minutes)}, from week {lab.week}</span>'
        f"<br>{escape(lab.build[0].upper() + lab.build[1:])}: "
        f"<code>{escape(shown(lab.starter))}</code>.</li>"
        for lab in course.labs
    )
    return (
        '<section class="labs" aria-labelledby="optional-labs">'
        f'<h3 id="optional-labs">Optional labs, without points</h3><ul>{items}</ul></section>'
    )


def step_of(course: Course, assignment: Assignment) -> str:
    """The step that an assignment is: what is built, how long it takes, where to open it."""
    number = assignment.id.removeprefix("a")
    title = f"Assignment {number}: {assignment.title}"
    places = setup_cell.opened_in(course, assignment)
    links = "".join(
        f' <a class="badge-link" href="{escape(address, quote=True)}">Open in {name}'
        f'<span class="visually-hidden">: assignment {number}</span></a>'
        for name, address in places
    )
    build = assignment.build[0].upper() + assignment.build[1:]
    file = f"<code>assignments/{assignment.id}/{assignment.id}.ipynb</code>"
    dates = f'data-due="{assignment.due.isoformat()}" data-short="assignment {number}"'
    return (
        f"<li {dates}>{steps.mark(assignment.id, title)}<div><b>Build</b> {escape(title)} "
        f'<span class="facts">about {texts.hours(assignment.minutes)}, due '
        f'<time datetime="{assignment.due.isoformat()}">{due(assignment)}</time></span>'
        f"<br>{escape(build)}: {file}.{links}</div></li>"
    )


# Shown by the script, which fills it in.
_PLAN = """\
<div class="plan" data-begins="{begins}" data-weeks="{weeks}" hidden>
<p class="plan-bar"><progress id="plan-progress" value="0" max="1"></progress>
<label for="plan-progress"></label></p>
<p class="plan-now" role="status"></p>
<p class="plan-start"><label for="plan-start">First day</label>
<input type="date" id="plan-start"> <span class="plan-hint"></span></p>
<p><button type="button" class="plan-own" hidden>Use the course’s dates</button>
<button type="button" class="plan-forget" hidden>Forget what is done</button></p>
</div>
"""


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("week-map", WeekMapDirective)
    app.add_css_file("week_map.css")

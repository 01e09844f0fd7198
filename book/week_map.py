"""`{week-map}`: week by week, what to read, answer and build, and when it is due.

All of it is read from the syllabus, the lectures and the quizzes. Dates and progress of the
reader's own are the business of `_static/progress.js`; see `steps`.
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import DECKS
from grader.authoring.views import setup_cell, texts
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_facts import Lesson
from grader.course.course_file import shown

from . import references, steps, weeks
from .quizzes import quiz
from .weeks import Stage, stages


def due(assignment: Assignment) -> str:
    """When it is due, for people."""
    at = assignment.due.astimezone(assignment.zone)
    return f"{at:%A}, {at.day} {at:%B %Y}, {at:%H:%M} {at.tzname()}"


class WeekMapDirective(SphinxDirective):
    """`{week-map}`: a card for each stage, with its links."""

    def run(self) -> list[nodes.Node]:
        course = Course.here()
        references.note_syllabus(self.env)
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
        span = f'data-first="{stage.weeks[0]}" data-last="{stage.weeks[-1]}"'
        yield _html(
            f'<section class="week" aria-labelledby="{id}" {span}>'
            f'<h3 id="{id}">{stage.title}</h3><ul class="steps">'
        )
        for lesson in stage.lessons:
            if lesson.sections:
                yield _html(sections_of(lesson))
            else:
                yield from self._part(lesson.part)
        for lesson in stage.lessons:
            if not lesson.sections:
                yield from self._quiz(weeks.step_of(lesson.part))
        if stage.assignment:
            yield _html(step_of(course, stage.assignment))
        yield _html("</ul></section>")

    def _part(self, number: int) -> Iterator[nodes.Node]:
        path = next(Path(self.env.srcdir).glob(f"part{number}_*.md"), None)
        if path is None:
            raise self.error(f"course.toml has a part {number}, but there is no part{number}_….md")
        row = weeks.of_lecture(path)
        slides = f'<a href="{DECKS}/{path.stem}.html">slides<span class="visually-hidden">'
        facts = f"{row.minutes} minutes in class, {slides} of part {number}</span></a>"
        yield from self._step(weeks.step_of(number), "Read", row.title, path.stem, facts)

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


def sections_of(lesson: Lesson) -> str:
    """Sections that are read before the rest of their part: no step of its own."""
    links = ", ".join(_link(lesson.part, section) for section in lesson.sections)
    return (
        f'<li class="ahead"><div><b>Read ahead</b> {links} '
        f'<span class="facts">of part {lesson.part}</span></div></li>'
    )


def taught_in(assignment: Assignment) -> str:
    """Which section of the lecture teaches each exercise, folded."""
    rows = "".join(
        f"<tr><td>{one.id} {_said(one.title)}</td>"
        f"<td>{_link(one.taught.part, one.taught.section)}, part&nbsp;{one.taught.part}</td></tr>"
        for one in assignment.exercises
        if one.taught
    )
    if not rows:
        return ""
    return (
        "<details><summary>Where each exercise is taught</summary><table><thead><tr>"
        "<th>exercise</th><th>section of the lecture</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></details>"
    )


def _said(text: str) -> str:
    """A text of the syllabus, with the apostrophe of print."""
    return escape(text.replace("'", "’"))


def _link(part: int, section: str) -> str:
    page = references.page_of_part(f"part {part}")
    return f'<a href="{page}.html#{nodes.make_id(section)}">{escape(section)}</a>'


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
        f"<br>{_said(build)}: {file}.{links}{taught_in(assignment)}</div></li>"
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

"""The report: an HTML file, and one for each student beside it, without network and scripts.

The class's page stays small, so that it opens at once whatever the size of the class; a student's
page is read from the disk when it is opened.

All text from submissions is escaped. As a second defense, a content security policy admits only our
own style sheet and script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..classroom.roster import Roster
from ..course.visible import visible
from ..gradebook.lateness import moment, written
from ..gradebook.result import Result
from .feedback import feedback
from .for_students import for_student
from .overview import overview
from .plain_text import cleaned, counted, listed, number, percent, shortened, signed
from .sentences import OUTCOME_MEANINGS, STATUS_SIGNS, TIER_MEANINGS

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from grader.course.course import Course


PAGES = "report"  # the folder of students' pages, beside the report
TEMPLATES = Path(__file__).parent / "templates"


class Shown(tuple[Result, ...]):
    """Results as pages show them, see `shown`."""


def shown(results: Sequence[Result]) -> Shown:
    """The results with every text `visible`, by student and assignment.

    Every page of a class takes them or makes them: who writes several pages makes them once.
    """
    if isinstance(results, Shown):
        return results
    return Shown(sorted(map(cleaned, results), key=lambda r: (_natural(r.student), r.assignment)))


def render(results: Sequence[Result], course: Course, roster: Roster | None = None) -> str:
    """The report of a class: an overview of each assignment, with a link to each student's page."""
    found = shown(results)
    students = {result.student for result in found}
    people = {visible(id) for id in roster.students} if roster else set()
    classes = [
        overview(assignment, mine)
        for assignment in course.graded
        if (mine := [r for r in found if r.assignment == assignment.id])
    ]
    facts: dict[str, Any] = {
        "classes": classes,
        "graded": _newest_grading(found, course),
        "named": _named(roster),
    }
    facts |= {"students": len(students | people), "handed_in": len(students)}
    return _page("class.html", course=course, **facts)


def render_pages(
    results: Sequence[Result], course: Course, roster: Roster | None = None
) -> Iterator[tuple[str, str]]:
    """The page of each student for the report's folder: its path from there, and its text."""
    students: dict[str, list[Result]] = {}
    for result in shown(results):
        students.setdefault(result.student, []).append(result)
    named = _named(roster)
    for student, mine in students.items():
        facts = {"student": student, "named": named.get(student, "")}
        feedback_of_all = [_feedback(result, course) for result in mine]
        text = _page("person.html", course=course, results=feedback_of_all, **facts)
        yield page_of(student), text


def render_dashboard(
    results: Sequence[Result], course: Course, roster: Roster | None = None
) -> str:
    """The class dashboard, for the same folder as the report; see `dashboard`."""
    from .dashboard import dashboard

    found = shown(results)
    board = dashboard(found, course, roster or Roster())
    return _page(
        "dashboard.html", course=course, board=board, graded=_newest_grading(found, course)
    )


def render_student(result: Result, course: Course, name: str = "") -> str:
    """A student's own feedback on one assignment, headed by their name; it names no other."""
    page = _feedback(cleaned(for_student(result)), course)
    return _page("student.html", course=course, page=page, name=visible(name))


def anchor(student: str) -> str:
    """The id of a student's page, the same in every report: "s01" → "student-s01"."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", student):
        return f"student-{student}"
    return f"student-{hashlib.sha256(student.encode()).hexdigest()[:12]}."


def page_of(student: str) -> str:
    """Where a student's page is, from the report's folder: report/student-s01.html.

    Disks that take "Ada" and "ada" for the same name keep them apart, too.
    """
    if re.fullmatch(r"[a-z0-9_-]{1,60}", student):
        return f"{PAGES}/student-{student}.html"
    return f"{PAGES}/student.{hashlib.sha256(student.encode()).hexdigest()[:12]}.html"


def _named(roster: Roster | None) -> dict[str, str]:
    """The name and section of each student in the roster, by what the report calls them."""
    people = roster.students.values() if roster else ()
    return {visible(s.id): visible(", ".join(filter(None, (s.name, s.section)))) for s in people}


def _feedback(result: Result, course: Course) -> dict[str, Any]:
    return feedback(result, course.assignment(result.assignment))


def _newest_grading(results: Sequence[Result], course: Course) -> str | None:
    newest = max((result.graded_at for result in results), default=None)
    return written(moment(newest), course.facts.zone) if newest else None


def _page(template: str, **content: Any) -> str:
    style, script = _asset("style.css"), _asset("sort.js")
    page = _environment().get_template(template)
    return page.render(style=style, script=script, hash=_hash, **content)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (anchor, counted, listed, number, page_of, percent, shortened, signed)
    environment.filters.update({function.__name__: function for function in filters})
    environment.filters["marked"] = _marked
    environment.globals |= {
        "signs": STATUS_SIGNS,
        "outcome_meanings": OUTCOME_MEANINGS,
        "tier_meanings": TIER_MEANINGS,
    }
    return environment


def _marked(text: str) -> Markup:
    """Escaped text in which `backticks` have become code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))


def _asset(name: str) -> Markup:
    from markupsafe import Markup

    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    """The name of this inline style or script in a content security policy."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key that puts s2 before s10."""
    return [(int(p), "") if p.isdecimal() else (0, p) for p in re.split(r"(\d+)", name.casefold())]

"""The report: an HTML file, and pages behind it, all without network and readable without scripts.

The report itself stays small, so that it opens at once whatever the size of the class: it has one
row per student. What an assignment asked of whom, and what a student wrote, are pages of their own,
read from the disk when they are opened.

All text from submissions is escaped. As a second defense, a content security policy admits only our
own style sheet and script, by their hashes.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.course import Course

from ..classroom.roster import Roster
from ..course.visible import visible
from ..gradebook.lateness import moment, written
from ..gradebook.result import Result
from . import regrade_form
from .feedback import feedback
from .for_students import for_student
from .overview import everyone, overview
from .plain_text import cleaned, counted, listed, number, percent, shortened, signed
from .sentences import OUTCOME_MEANINGS, STATUS_SIGNS, TIER_MEANINGS

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


LONGEST_ANSWER = 20_000  # characters shown
PAGES = "report"  # the folder of the pages behind the report, beside it
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
    """The report of a class: all totals, an overview of each assignment, links to the rest."""
    found = shown(results)
    by_student = everyone(found)
    people = {visible(id) for id in roster.students} if roster else set()
    facts: dict[str, Any] = {
        "classes": _classes(found, course),
        "everyone": by_student,
        "graded": _newest_grading(found, course),
        "named": _named(roster),
    }
    facts |= {"students": len({*by_student} | people), "handed_in": len(by_student)}
    return _page("class.html", course=course, **facts)


def render_classes(
    results: Sequence[Result], course: Course, roster: Roster | None = None
) -> Iterator[tuple[str, str]]:
    """The page of each assignment: every student's points, exercise by exercise, and mistakes."""
    for found in _classes(shown(results), course):
        text = _page("assignment.html", course=course, found=found, named=_named(roster))
        yield class_page(found["assignment"].id), text


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
    form = regrade_form.form(result, course.assignment(result.assignment))
    facts = {"page": page, "form": form, "name": visible(name)}
    return _page("student.html", "regrade.js", course=course, **facts)


def anchor(student: str) -> str:
    """The id of a student's page, the same in every report: "s01" → "student-s01"."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", student):
        return f"student-{student}"
    return f"student-{hashlib.sha256(student.encode()).hexdigest()[:12]}."


def page_of(student: str) -> str:
    """Where a student's page is, from the report's folder: report/student-s01.html."""
    return f"{PAGES}/{file_of(student)}"


def file_of(student: str) -> str:
    """The same, from an assignment's page. Disks that take "Ada" for "ada" keep them apart, too."""
    if re.fullmatch(r"[a-z0-9_-]{1,60}", student):
        return f"student-{student}.html"
    return f"student.{hashlib.sha256(student.encode()).hexdigest()[:12]}.html"


def class_page(assignment: str) -> str:
    """Where an assignment's page is, from the report's folder: report/class-a1.html."""
    return f"{PAGES}/class-{assignment}.html"


def shade(share: float) -> str:
    """The class of a cell that shows this share of the points: all of them are "q4"."""
    return f"q{4 if share >= 1 else 3 if share >= 0.75 else 2 if share >= 0.5 else int(share > 0)}"


def _classes(found: Sequence[Result], course: Course) -> list[dict[str, Any]]:
    return [
        overview(assignment, mine)
        for assignment in course.graded
        if (mine := [r for r in found if r.assignment == assignment.id])
    ]


def _named(roster: Roster | None) -> dict[str, str]:
    """The name and section of each student in the roster, by what the report calls them."""
    people = roster.students.values() if roster else ()
    return {visible(s.id): visible(", ".join(filter(None, (s.name, s.section)))) for s in people}


def _feedback(result: Result, course: Course) -> dict[str, Any]:
    return feedback(result, course.assignment(result.assignment))


def _newest_grading(results: Sequence[Result], course: Course) -> str | None:
    newest = max((result.graded_at for result in results), default=None)
    return written(moment(newest), course.facts.zone) if newest else None


def _page(template: str, script_file: str = "sort.js", **content: Any) -> str:
    style, script = _asset("style.css"), _asset(script_file)
    page = _environment().get_template(template)
    return page.render(style=style, script=script, hash=_hash, **content)


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from . import written_text

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    addresses = (anchor, class_page, file_of, page_of)
    texts = (counted, listed, number, percent, shade, shortened, signed)
    environment.filters.update({function.__name__: function for function in addresses + texts})
    environment.filters |= {"marked": _marked, "inline": written_text.inline}
    environment.filters["typeset"] = lambda text: written_text.html(shortened(text, LONGEST_ANSWER))
    environment.globals |= {
        "signs": STATUS_SIGNS,
        "outcome_meanings": OUTCOME_MEANINGS,
        "tier_meanings": TIER_MEANINGS,
    }
    return environment


def _marked(text: str) -> "Markup":
    """Escaped text in which `backticks` have become code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))


def _asset(name: str) -> "Markup":
    from markupsafe import Markup

    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    """The name of this inline style or script in a content security policy."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key that puts s2 before s10."""
    return [(int(p), "") if p.isdecimal() else (0, p) for p in re.split(r"(\d+)", name.casefold())]

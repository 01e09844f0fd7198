"""Writes the study plan, a list to tick for each week: part, deck, quiz, assignment, hours.

It is in the README of `lectures`, between two marks, with links to what a host of repositories
shows, and in the README of a release that holds the built pages.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from book import CHECKOUT, DECKS, IN_RELEASE
from grader.authoring.views import texts
from grader.course.course import Course
from grader.library.components import BuildError

from ..notebooks.lecture_notebook import FOLDER
from ..quizzes import quiz
from ..weeks import Stage, of_lecture, stages, step_of

BEGIN, END = "<!-- study plan -->", "<!-- /study plan -->"
_PLACE = re.compile(rf"{BEGIN}\n.*?{END}", re.S)
Linked = Callable[[str, str], str]  # what is said, the page in the site → Markdown, or "": no such


def filled(text: str, course: Course) -> str:
    """The README of `lectures` with the plan. Raises BuildError if it has no place for it."""
    if not _PLACE.search(text):
        raise BuildError(f"lectures/README.md needs the lines {BEGIN} and {END}")
    plan = "\n".join(_lines(course, _readable, "../"))
    return _PLACE.sub(lambda _: f"{BEGIN}\n{plan}\n{END}", text)


def _readable(said: str, page: str) -> str:
    """A link to what is readable without the site: executed parts and folded quizzes."""
    stem = page.removesuffix(".html")
    if stem.startswith("quiz_"):
        return f"[{said}](quizzes/{stem.removeprefix('quiz_')}.md)"
    return "" if stem.startswith(DECKS) else f"[{said}]({FOLDER}/{stem}.ipynb)"


def of_release(course: Course) -> str:
    """The section of a release's README: every page of it is there, in `lectures/`."""
    plan = "\n".join(_lines(course, lambda said, page: f"[{said}]({IN_RELEASE}/{page})"))
    return (
        f"## Lectures, week by week\n\nOpen [the lectures]({IN_RELEASE}/index.html) in a browser: "
        "they need neither a server nor a network. Parts are notebooks too, in "
        f"`{IN_RELEASE}/notebooks`. If a model learns badly, look into [Questions that everybody "
        f"asks]({IN_RELEASE}/questions.html).\n\n{plan}\n"
    )


def _lines(course: Course, linked: Linked, root: str = "") -> Iterator[str]:
    """`root`: the way from the document to the course's folder."""
    for number, stage in enumerate(stages(course)):
        if number:
            yield ""
        steps = [*_lectures(stage, linked), *_assignment(stage, linked, root)]
        yield f"**{stage.title}** (about {texts.hours(minutes(stage))})"
        yield from (f"- [ ] {step}" for step in steps)
    for lab in course.labs:
        title = f"[{lab.title}]({root}assignments/labs/{lab.id}/README.md)"
        hours = texts.hours(lab.minutes)
        yield f"- [ ] From week {lab.week}, if you like: {title}, {lab.build} (about {hours})"


def minutes(stage: Stage) -> int:
    """Of a stage's lectures and required exercises."""
    work = stage.assignment.minutes if stage.assignment else 0
    return work + sum(of_lecture(page(number)).minutes for number in whole(stage))


def whole(stage: Stage) -> list[int]:
    """The parts that are read to their end."""
    return [lesson.part for lesson in stage.lessons if not lesson.sections]


def page(number: int) -> Path:
    """The source of a part."""
    return next((CHECKOUT / "lectures").glob(f"part{number}_*.md"))


def _lectures(stage: Stage, linked: Linked) -> Iterator[str]:
    for number in whole(stage):
        row, stem = of_lecture(page(number)), page(number).stem
        forms = [linked(row.title, f"{stem}.html"), linked("slides", f"{DECKS}/{stem}.html")]
        about = f"{row.minutes} minutes in class"
        if step_of(number) in quiz.names():
            forms.append(linked(f"quiz {number}", f"quiz_part{number}.html"))
            about += f", {len(quiz.load(step_of(number)).questions)} questions"
        yield f"{', '.join(filter(None, forms))} ({about})"


def _named(sections: list[str]) -> str:
    return f"section{'s' if sections[1:] else ''} {', '.join(f'*{title}*' for title in sections)}"


def _assignment(stage: Stage, linked: Linked, root: str) -> Iterator[str]:
    """The assignment, and what it needs of parts that come later."""
    ahead: dict[int, list[str]] = {}
    for lesson in stage.lessons:
        if lesson.part not in whole(stage):
            ahead.setdefault(lesson.part, []).extend(lesson.sections)
    places = "; ".join(
        f"{linked(f'part {number}', f'{page(number).stem}.html')}, {_named(sections)}"
        for number, sections in ahead.items()
    )
    if one := stage.assignment:
        title = f"[{one.title[0].lower() + one.title[1:]}]({root}assignments/{one.id}/README.md)"
        number, hours = one.id.removeprefix("a"), texts.hours(one.minutes)
        early = f"; read ahead in {places}" if places else ""
        yield f"Assignment {number}, {title} (about {hours}){early}"
    elif places:
        yield f"Read ahead in {places}"

"""What to do each week, as a list to tick: part, deck, quiz, assignment, hours.

It stands in README, between two marks, and in the README of a release that holds the lectures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from book import CHECKOUT, DECKS, IN_RELEASE
from grader.authoring.views import texts
from grader.course.course import Course
from grader.library.components import BuildError

from ..quizzes import quiz
from ..weeks import Stage, of_lecture, stages, step_of

BEGIN, END = "<!-- study plan -->", "<!-- /study plan -->"
_PLACE = re.compile(rf"{BEGIN}\n.*?{END}", re.S)
Linked = Callable[[str, str], str]  # what is said, the page in the site → Markdown


def filled(text: str, course: Course) -> str:
    """README with the plan; pages of the built site are named, sources are links.

    Raises BuildError if it has no place for it.
    """
    if not _PLACE.search(text):
        raise BuildError(f"README.md needs the lines {BEGIN} and {END}")

    def linked(said: str, page: str) -> str:
        source = page.replace(".html", ".md")
        is_source = (CHECKOUT / "lectures" / source).is_file()
        return f"[{said}](lectures/{source})" if is_source else f"{said} `{page}`"

    plan = "\n".join(_lines(course, linked))
    return _PLACE.sub(lambda _: f"{BEGIN}\n{plan}\n{END}", text)


def of_release(course: Course) -> str:
    """The section of a release's README: every page of it is there, in `lectures/`."""
    plan = "\n".join(_lines(course, lambda said, page: f"[{said}]({IN_RELEASE}/{page})"))
    return (
        f"## Lectures, week by week\n\nOpen [the lectures]({IN_RELEASE}/index.html) in a browser: "
        "they need neither a server nor a network. Parts are notebooks too, in "
        f"`{IN_RELEASE}/notebooks`.\n\n{plan}\n"
    )


def _lines(course: Course, linked: Linked) -> Iterator[str]:
    for number, stage in enumerate(stages(course)):
        if number:
            yield ""
        steps = [*_lectures(stage, linked), *_assignment(stage, linked)]
        yield f"**{stage.title}** (about {texts.hours(_minutes(stage))})"
        yield from (f"- [ ] {step}" for step in steps)
    for lab in course.labs:
        title = f"[{lab.title}](assignments/labs/{lab.id}/README.md)"
        hours = texts.hours(lab.minutes)
        yield f"- [ ] From week {lab.week}, if you like: {title}, {lab.build} (about {hours})"


def _minutes(stage: Stage) -> int:
    work = stage.assignment.minutes if stage.assignment else 0
    return work + sum(of_lecture(_page(number)).minutes for number in _whole(stage))


def _whole(stage: Stage) -> list[int]:
    """The parts that are read to their end."""
    return [lesson.part for lesson in stage.lessons if not lesson.sections]


def _page(number: int) -> Path:
    return next((CHECKOUT / "lectures").glob(f"part{number}_*.md"))


def _lectures(stage: Stage, linked: Linked) -> Iterator[str]:
    for number in _whole(stage):
        row, page = of_lecture(_page(number)), _page(number).stem
        deck = linked("slides", f"{DECKS}/{page}.html")
        about = f"{row.minutes} minutes in class"
        quizzed = ""
        if step_of(number) in quiz.names():
            quizzed = f", {linked(f'quiz {number}', f'quiz_part{number}.html')}"
            about += f", {len(quiz.load(step_of(number)).questions)} questions"
        yield f"{linked(row.title, f'{page}.html')}, its {deck}{quizzed} ({about})"


def _assignment(stage: Stage, linked: Linked) -> Iterator[str]:
    """The assignment, and what it needs of parts that come later."""
    ahead: dict[int, list[str]] = {}
    for lesson in stage.lessons:
        if lesson.part not in _whole(stage):
            ahead.setdefault(lesson.part, []).extend(lesson.sections)
    places = "; ".join(
        f"{linked(f'part {number}', f'{_page(number).stem}.html')} ({', '.join(sections)})"
        for number, sections in ahead.items()
    )
    if one := stage.assignment:
        title = f"[{one.title[0].lower() + one.title[1:]}](assignments/{one.id}/README.md)"
        number, hours = one.id.removeprefix("a"), texts.hours(one.minutes)
        early = f"; read ahead in {places}" if places else ""
        yield f"Assignment {number}, {title} (about {hours}){early}"
    elif places:
        yield f"Read ahead in {places}"

"""What to do each week, as a list to tick: part, deck, quiz, assignment, hours.

It stands in README, between two marks, and in the README of a release that holds the lectures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from book import CHECKOUT
from grader.authoring.views import texts
from grader.course.course import Course
from grader.library.components import BuildError

from .. import timetable, week_map
from ..decks.first_slide import DECKS, lectures
from ..notebooks.other_forms import IN_RELEASE
from ..quizzes import quiz
from ..steps import part

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
    return _PLACE.sub(lambda _: f"{BEGIN}\n\n{plan}\n{END}", text)


def of_release(course: Course) -> str:
    """The section of a release's README: every page of it is there, in `lectures/`."""
    plan = "\n".join(_lines(course, lambda said, page: f"[{said}]({IN_RELEASE}/{page})"))
    return (
        f"## Lectures, week by week\n\nOpen [the lectures]({IN_RELEASE}/index.html) in a browser: "
        "they need neither a server nor a network. Parts are notebooks too, in "
        f"`{IN_RELEASE}/notebooks`.\n\n{plan}\n"
    )


def _lines(course: Course, linked: Linked) -> Iterator[str]:
    pages = {int(path.stem[4:].split("_")[0]): path for path in lectures(CHECKOUT / "lectures")}
    known = quiz.names()
    for stage in week_map.stages(course):
        whole = [lesson.part for lesson in stage.lessons if not lesson.sections]
        rows = {number: timetable.of_lecture(pages[number]) for number in whole}
        minutes = sum(row.minutes for row in rows.values())
        work = stage.assignment.minutes if stage.assignment else 0
        yield f"**{stage.title}** (about {texts.hours(minutes + work)})\n"
        if ahead := [lesson for lesson in stage.lessons if lesson.sections]:
            places = "; ".join(
                f"{linked(f'part {one.part}', f'{pages[one.part].stem}.html')} "
                f"({', '.join(one.sections)})"
                for one in ahead
            )
            yield f"- [ ] Read ahead in {places}"
        for number, row in rows.items():
            page = pages[number].stem
            steps = [
                f"Read {linked(row.title, f'{page}.html')}",
                f"go through its {linked('slides', f'{DECKS}/{page}.html')}",
            ]
            about = f"{row.minutes} minutes in class"
            if part(number) in known:
                steps.append(f"answer {linked(f'quiz {number}', f'quiz_part{number}.html')}")
                about += f", {len(quiz.load(part(number)).questions)} questions"
            yield f"- [ ] {', '.join(steps)} ({about})"
        if stage.assignment:
            title = stage.assignment.title
            yield (
                f"- [ ] Build assignment {stage.assignment.id.removeprefix('a')}, "
                f"[{title[0].lower() + title[1:]}](assignments/{stage.assignment.id}/README.md) "
                f"(about {texts.hours(stage.assignment.minutes)})"
            )
        yield ""
    for lab in course.labs:
        title = f"[{lab.title}](assignments/labs/{lab.id}/README.md)"
        hours = texts.hours(lab.minutes)
        yield f"- [ ] From week {lab.week}, if you like: {title}, {lab.build} (about {hours})"
    if course.labs:
        yield ""

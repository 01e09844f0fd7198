"""Makes the files of `course build` next to assignments: documents, quizzes, executed lectures."""

from collections.abc import Iterator
from pathlib import Path

from grader.authoring.course_build import Target
from grader.course.course import Course

from ..notebooks import readable
from ..quizzes import paper_form, quiz
from . import (
    figures,
    front_page,
    house_map,
    picture,
    study_plan,
    table3_figures,
    tables,
    walkthrough,
)


def targets(course: Course) -> Iterator[Target]:
    """Each document that is generated, and the lectures to execute. Raises BuildError."""
    yield from (Target(path, text) for path, text in _texts(course))
    yield Target(course.root / walkthrough.BUILT, walkthrough.text(course), is_executed=True)
    yield from readable.targets(course)


def _texts(course: Course) -> Iterator[tuple[Path, str]]:
    """Each document that is generated, or has generated parts, with its text."""
    yield course.root / "course.svg", picture.draw(course)
    results = course.root / "results"
    lectures = sorted((course.root / "lectures").glob("part*.md"))
    for path in (results / "README.md", *sorted(course.hidden.glob("*.md")), *lectures):
        text = path.read_text(encoding="utf-8")
        yield path, tables.filled(figures.filled(text, results), results)
    path = results / "table3.md"
    yield path, table3_figures.filled(figures.filled(path.read_text(encoding="utf-8"), results))
    path = course.root / "README.md"
    yield path, front_page.filled(path.read_text(encoding="utf-8"), course)
    path = course.root / "lectures" / "README.md"
    yield path, study_plan.filled(path.read_text(encoding="utf-8"), course)
    path = course.root / "CONTRIBUTING.md"
    yield path, house_map.filled(path.read_text(encoding="utf-8"), course.root)
    yield quiz.FOLDER / "ready.md", readable.page(course.root / "lectures" / "prerequisites.md")
    asked = course.root / "lectures" / "questions.md"
    yield course.root / "lectures" / readable.FOLDER / asked.name, readable.page(asked)
    for one in map(quiz.load, quiz.names()):
        yield quiz.FOLDER / f"{one.name}.md", paper_form.folded(one)

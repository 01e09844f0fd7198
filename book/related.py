"""The exercises that use a lecture, listed from the syllabus by their components."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import CHECKOUT
from grader.course.course import Course

LISTED = "exercises"  # attribute of the list: their ids


class ExercisesDirective(SphinxDirective):
    """`{exercises}` with one component a line: the exercises that ask for them, in order.

    Numbers and titles come from `course.toml`, so that a lecture never names an old one.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        found: dict[str, nodes.list_item] = {}
        for reference in filter(None, map(str.strip, self.content)):
            asked = [
                (assignment, exercise)
                for assignment in Course.here().assignments
                for exercise in assignment.exercises
                if reference in exercise.components
            ]
            if not asked:
                raise self.error(f"no exercise of course.toml has the component {reference!r}")
            for assignment, exercise in asked:
                title = nodes.strong("", f"{exercise.id} {exercise.title}")
                of = f" (assignment {assignment.id[1:]}, about {exercise.minutes} minutes)"
                found.setdefault(
                    exercise.id, nodes.list_item("", nodes.paragraph("", "", title, nodes.Text(of)))
                )
        order = sorted(found, key=lambda id: [int(number) for number in id.split(".")])
        self.env.note_dependency(str(CHECKOUT / "course.toml"))
        return [nodes.bullet_list("", *(found[id] for id in order), **{LISTED: order})]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("exercises", ExercisesDirective)

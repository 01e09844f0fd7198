"""Roles that let a lecture refer to the syllabus: read from `course.toml` and the records.

{exercise}`course_lib.attention:attention`     exercise 2.1 (*Scaled dot-product attention*)
{assignment}`a3 course_lib.encoder:Encoder`    assignment 3, if it asks for this component
{part}`5`                                      part 5, a link to its page

The directive `{exercises}` lists the exercises that use a lecture, by their components.
"""

import os

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from grader.course.course import Course
from grader.library.components import BuildError

from . import references

LISTED = "exercises"  # attribute of the list: their ids
RoleResult = tuple[list[nodes.Node], list[nodes.system_message]]


class _Role(SphinxRole):
    """A role that fails, with file and line, where the syllabus does not have what it names."""

    def run(self) -> RoleResult:
        references.note_syllabus(self.env)
        try:
            return self.inline_nodes(), []
        except BuildError as error:
            message = self.inliner.reporter.error(str(error), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]

    def inline_nodes(self) -> list[nodes.Node]:
        raise NotImplementedError


class ExerciseRole(_Role):
    def inline_nodes(self) -> list[nodes.Node]:
        number, title = references.exercise_called(self.text)
        return [nodes.Text(f"exercise {number} ("), nodes.emphasis("", title), nodes.Text(")")]


class AssignmentRole(_Role):
    def inline_nodes(self) -> list[nodes.Node]:
        id, _, component = self.text.partition(" ")
        return [nodes.Text(references.assignment_with(id, component).label.lower())]


class PartRole(_Role):
    def inline_nodes(self) -> list[nodes.Node]:
        page = references.page_of_part(self.text)
        here = os.path.dirname(self.env.docname) or "."
        address = os.path.relpath(f"{page}.html", here)
        said = self.text.replace(" ", "\N{NO-BREAK SPACE}")
        return [nodes.reference("", said, refuri=address, internal=True)]


class ExercisesDirective(SphinxDirective):
    """`{exercises}` with one component a line: the exercises that ask for them, in order.

    Numbers and titles come from the records, so that a lecture never names an old one.
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
                raise self.error(f"no exercise has the component {reference!r}")
            for assignment, exercise in asked:
                title = nodes.strong("", f"{exercise.id} {exercise.title}")
                of = f" (assignment {assignment.id[1:]}, about {exercise.minutes} minutes)"
                found.setdefault(
                    exercise.id, nodes.list_item("", nodes.paragraph("", "", title, nodes.Text(of)))
                )
        order = sorted(found, key=lambda id: [int(number) for number in id.split(".")])
        references.note_syllabus(self.env)
        return [nodes.bullet_list("", *(found[id] for id in order), **{LISTED: order})]


def setup(app: Sphinx) -> None:
    """Register roles and directive."""
    app.add_directive("exercises", ExercisesDirective)
    app.add_role("exercise", ExerciseRole())
    app.add_role("assignment", AssignmentRole())
    app.add_role("part", PartRole())

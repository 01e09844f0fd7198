"""Roles for what a lecture says of the syllabus, which the build reads from `course.toml`.

{exercise}`course_lib.attention:attention`     exercise 2.1 (*Scaled dot-product attention*)
{assignment}`a3 course_lib.encoder:Encoder`    assignment 3, if it asks for this component
{part}`5`                                      part 5, a link to its page
"""

from __future__ import annotations

import os

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book import CHECKOUT
from grader.library.components import BuildError

from . import references

SYLLABUS = CHECKOUT / "course.toml"
RoleResult = tuple[list[nodes.Node], list[nodes.system_message]]


class _Role(SphinxRole):
    """A role that fails, with file and line, where the syllabus does not have what it names."""

    def run(self) -> RoleResult:
        self.env.note_dependency(str(SYLLABUS))
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
        return [nodes.Text(f"assignment {references.assignment_with(id, component).id[1:]}")]


class PartRole(_Role):
    def inline_nodes(self) -> list[nodes.Node]:
        page = references.page_of_part(self.text)
        here = os.path.dirname(self.env.docname) or "."
        address = os.path.relpath(f"{page}.html", here)
        said = self.text.replace(" ", "\N{NO-BREAK SPACE}")
        return [nodes.reference("", said, refuri=address, internal=True)]


def setup(app: Sphinx) -> None:
    """Register the roles."""
    app.add_role("exercise", ExerciseRole())
    app.add_role("assignment", AssignmentRole())
    app.add_role("part", PartRole())

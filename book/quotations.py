"""Quotes in lectures, by name: a component's source, a drawing, a fact of the syllabus."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book import CHECKOUT
from course_lib.drawings import gallery
from grader.course.course import Course
from grader.library import student_tree
from grader.library.components import BuildError, Component

from . import outline
from .decks.slides import DECK

WEEK = "course_week"  # of the site's configuration: what is out when it begins is shown; 0: all
PAPER = "https://arxiv.org/abs/1706.03762"
QUOTED = "component"  # attribute of a quoted source: which one it is
SECTION = "paper_section"  # attribute of a link to the paper: what it says


class SourceDirective(SphinxDirective):
    """`{component} course_lib.attention:attention`: the definition as the library has it.

    Until its last late day is over, an exercise's answer is shown as the stub that students get.
    """

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        reference = self.arguments[0]
        try:
            component = Component.parse(reference)
            source = component.stub("answer") if self._hidden(reference) else component.source
        except BuildError as error:
            raise self.error(str(error)) from None
        code = nodes.literal_block(source, source, language="python", classes=["component"])
        where = f"{component.module.replace('.', '/')}.py"
        caption = nodes.caption("", f"{where}: {component.name}")
        block = nodes.container("", caption, code, literal_block=True)
        block["classes"] = ["literal-block-wrapper"]
        block[QUOTED] = reference
        self.set_source_info(block)
        self.env.note_dependency(str(CHECKOUT / where))
        return [block]

    def _hidden(self, reference: str) -> bool:
        course, week = Course.here(), self.config[WEEK]
        released = student_tree.released_in_week(course, week)
        return bool(week) and reference in student_tree.unreleased(course, released)


class DrawingDirective(SphinxDirective):
    """`{drawing} multi_head`: a drawing of the library with its description."""

    required_arguments = 1
    has_content = True  # the caption

    def run(self) -> list[nodes.Node]:
        try:
            drawing = gallery.draw(self.arguments[0])
        except ValueError as error:
            raise self.error(str(error)) from None
        figure = nodes.figure("", nodes.raw("", drawing.image(), format="html"))
        figure["classes"] = ["drawing"]
        caption = nodes.caption("")
        if self.content:
            self.state.nested_parse(self.content, self.content_offset, caption)
            for paragraph in [*caption.children]:
                caption.replace(paragraph, paragraph.children)
        elif self.env.app.builder.name != DECK:  # a slide has a title
            caption += nodes.Text(drawing.title)
        figure += caption
        self.set_source_info(figure)
        return [figure]


class PaperRole(SphinxRole):
    """`{paper}`§3.2.1``: a link to the paper, which the reader opens beside the page."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if missing := outline.missing(self.text):
            message = self.inliner.reporter.error(
                f"the paper has no {missing[0]}", line=self.lineno
            )
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        said = f"paper {self.text}"
        return [nodes.reference("", said, refuri=PAPER, **{SECTION: self.text})], []


def setup(app: Sphinx) -> None:
    """Register the directives and the role."""
    app.add_config_value(WEEK, 0, "env", types=[int])
    app.add_directive("component", SourceDirective)
    app.add_directive("drawing", DrawingDirective)
    app.add_role("paper", PaperRole())

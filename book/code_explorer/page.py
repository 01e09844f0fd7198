"""`{code-explorer} DRAWING`: a drawing whose boxes open components, and all of them below it.

Without JavaScript the page is one list with anchors; `explorer.js` shows one component at a time.
"""

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import CHECKOUT
from course_lib.drawings import gallery
from course_lib.drawings.clickable_drawing import linked
from grader.course.assignment import Assignment
from grader.course.course import Course

from ..quotations import WEEK
from . import lectures
from .catalog import Entry, entries
from .groups import GROUPS
from .section import Sections

DRAWING = "code-drawing"  # the id that leads back to it
MARK = "code_explorer"  # metadata of a page that has one


class Components(nodes.General, nodes.Element):
    """The components of one `assignment`, made when all lectures are read."""


class ExplorerDirective(SphinxDirective):
    """The drawing, an index by part of the model, and a section for each assignment."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        found = entries(self.config[WEEK])
        ids = {f"{one.component.module}:{one.component.name}": one.id for one in found}
        try:
            drawings = [gallery.draw(self.arguments[0])]
            if upright := gallery.UPRIGHT.get(self.arguments[0]):
                drawings.append(upright())
            svg = "".join(linked(one, lambda component: f"#{ids[component]}") for one in drawings)
        except ValueError as error:
            raise self.error(str(error)) from None
        except KeyError as error:
            raise self.error(f"the drawing shows {error}, which is not a component") from None
        self.env.metadata[self.env.docname][MARK] = "yes"
        for file in {*Course.here().syllabus, *(CHECKOUT / one.file for one in found)}:
            self.env.note_dependency(str(file))
        top = f'<div id="{DRAWING}" class="code-drawing">{svg}</div>{_index(found)}'
        return [nodes.raw("", top, format="html"), *map(_assignment, Course.here().assignments)]


def _index(found: tuple[Entry, ...]) -> str:
    """Links to all components, by part of the model."""
    rows = []
    for group in GROUPS:
        links = (
            f'<li><a href="#{one.id}"><code>{escape(one.label)}</code></a></li>'
            for one in found
            if one.group is group
        )
        rows.append(f"<dt>{escape(group.title)}</dt><dd><ul>{''.join(links)}</ul></dd>")
    return (
        f'<details class="code-index"><summary>All {len(found)} components, by part of the model'
        f"</summary><dl>{''.join(rows)}</dl></details>"
    )


def _assignment(assignment: Assignment) -> nodes.section:
    """A section whose components come later."""
    title = f"Assignment {assignment.id[1:]}: {assignment.title}"
    made = nodes.section(ids=[f"code-{assignment.id}"], classes=["code-assignment"])
    made += nodes.title("", title)
    made += Components(assignment=assignment.id)
    return made


def _outdated(app: Sphinx, environment: object) -> list[str]:
    """The page is written again with every build: its links lead into all lectures."""
    return [page for page, about in app.env.metadata.items() if MARK in about]


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the components in their places."""
    places = list(doctree.findall(Components))
    if not places:
        return
    found = entries(app.config[WEEK])

    def address(spot: lectures.Spot) -> str:
        uri = app.builder.get_relative_uri(docname, spot.page)
        return f"{uri}#{spot.section}" if spot.section else uri

    sections = Sections(found, lectures.read(app.env), address)
    for place in places:
        own = [one for one in found if one.assignment.id == place["assignment"]]
        place.replace_self([node for one in own for node in sections.of(one)])


def setup(app: Sphinx) -> None:
    """Register the directive; `page_files` loads the style and the script on its page alone."""
    app.add_node(Components)
    app.add_directive("code-explorer", ExplorerDirective)
    app.connect("env-updated", _outdated)
    app.connect("doctree-resolved", _fill)
    app.add_css_file("code/explorer.css")
    app.add_js_file("code/explorer.js")

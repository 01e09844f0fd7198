"""Activities in class: what is done, in how many minutes."""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .weeks import KINDS


class Activity(nodes.General, nodes.Element):
    """An activity: `kind` (a key of KINDS), `minutes`, `title`."""


class ActivityDirective(SphinxDirective):
    """`{activity} TITLE` with the options `kind` and `minutes`."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {
        "kind": lambda given: directives.choice(given, tuple(KINDS)),
        "minutes": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        if len(self.options) < 2:
            raise self.error(f"the activity {self.arguments[0]!r} needs a kind and minutes")
        made = Activity("", title=self.arguments[0], **self.options)
        self.set_source_info(made)
        self.state.nested_parse(self.content, self.content_offset, made)
        return [made]


def arrange(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Show each activity as a box."""
    for activity in list(doctree.findall(Activity)):
        said = f"{KINDS[activity['kind']]}, {activity['minutes']}\u00a0minutes: {activity['title']}"
        box = nodes.admonition("", nodes.title("", said), classes=["activity", activity["kind"]])
        box += activity.children
        activity.replace_self(box)


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_node(Activity)
    app.add_directive("activity", ActivityDirective)
    app.connect("doctree-resolved", arrange)

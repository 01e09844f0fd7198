"""Steps that a reader can mark as done: a lecture part, a quiz, an assignment.

Without JavaScript there is nothing to mark; `_static/progress.js` adds the checkboxes, and keeps
what is done in the browser.
"""

import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx

from .weeks import step_of

_LECTURE = re.compile(r"part(\d)_\w+")


def quiz(name: str) -> str:
    """The name of a quiz as a step: `_static/quiz.js` marks it when all answers are right."""
    return f"quiz-{name}"


def mark(step: str, label: str) -> str:
    """The place of a step's checkbox."""
    return f'<span class="step-mark" data-step="{step}" data-label="{escape(label)}"></span>'


def _end_of_lecture(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """At its end, a lecture can be marked as read."""
    found = _LECTURE.fullmatch(docname)
    lecture = next(iter(doctree.findall(nodes.section)), None)
    if found is None or lecture is None or app.builder.name != "html":
        return
    place = mark(step_of(int(found[1])), f"Part {found[1]} is done")
    lecture += nodes.raw("", f'<p class="step-at-end">{place}</p>', format="html")


def setup(app: Sphinx) -> None:
    """Put a mark at the end of every lecture, and the script into pages with marks."""
    app.connect("doctree-resolved", _end_of_lecture)
    app.add_css_file("steps.css")
    app.add_js_file("progress.js", loading_method="defer")

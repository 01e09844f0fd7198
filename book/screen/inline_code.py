"""Code in a text: a path too long for a narrow screen ends its line behind a slash."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LONG = 34  # characters of code that a phone shows in one line
_WORD = re.compile(rf'(?<=<span class="pre">)[^<]{{{LONG},}}(?=</span>)')


def breakable(body: str) -> str:
    """The HTML with a place to break behind each slash of a long word of code."""
    return _WORD.sub(lambda word: word[0].replace("/", "/<wbr>"), body)


def _page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    if "body" in context:
        context["body"] = breakable(context["body"])


def setup(app: Sphinx) -> None:
    """Once a page is HTML."""
    app.connect("html-page-context", _page, priority=800)

"""The search page: below a result stands text that can be read, without TeX."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def _page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    if page == "search":
        app.add_js_file("search.js")


def setup(app: Sphinx) -> None:
    """Give the page its script, which changes what Sphinx's own finds."""
    app.connect("html-page-context", _page)

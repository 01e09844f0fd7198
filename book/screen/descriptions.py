"""Descriptions of pages for search engines: its first sentences, as a description."""

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

MOST = 155  # characters that search engines show


def of(text: str) -> str:
    """The beginning of a text up to the end of a word."""
    text = " ".join(text.split())
    if len(text) <= MOST:
        return text
    return text[: MOST - 1].rpartition(" ")[0].rstrip(",;:") + "…"


def _add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    first = next(iter(tree.findall(nodes.paragraph)), None) if tree else None
    said = of(first.astext()) if first else ""
    title = app.config.project
    content = escape(said or title, quote=True)
    context["metatags"] = (
        context.get("metatags", "") + f'\n<meta name="description" content="{content}">'
    )


def setup(app: Sphinx) -> None:
    """Describe every page and deck."""
    app.connect("html-page-context", _add)

"""Symbols of the paper in what is plain text elsewhere: a page shows d_k as a letter with an index.

The title of an exercise, the first sentence of a docstring and what a mistake is called are read in
a terminal and in the code too. What is written for pages alone has formulas, `$d_k$`. Sphinx does
not typeset the apostrophes of such a text, as it does those of a page: they are typeset here.
"""

import re
from typing import Any

from docutils import nodes
from markupsafe import Markup, escape
from sphinx.application import Sphinx

SYMBOL = re.compile(
    r"(?<![\w.])(?P<letter>[dPWε])(?P<mark>[_^])(?P<index>model|ff|drop|ls|[kvQKVO])(?!\w)"
)
_KEPT = r"""(?P<kept><!--.*?-->
    |<(?P<name>code|pre|script|style|svg|textarea|option)\b.*?</(?P=name)>
    |<(?P<kind>span|div)\s[^>]*class="math\b.*?</(?P=kind)>
    |<[^>]*>)"""
_APOSTROPHE = r"(?P<apostrophe>(?<=\w)(?:'|&\#(?:39|x27);)(?=\w|(?<=s')\ |(?<=s&\#x27;)\ ))"
_STEP = re.compile(f"{_KEPT}|{SYMBOL.pattern}|{_APOSTROPHE}", re.S | re.X)


def typeset(body: str) -> str:
    """The HTML with the symbols and apostrophes of its text typeset; code and formulas stay."""
    return _STEP.sub(_html, body)


def _html(found: re.Match[str]) -> str:
    if found["kept"]:
        return found["kept"]
    if found["apostrophe"]:
        return "’"
    place = "sub" if found["mark"] == "_" else "sup"
    index = found["index"] if len(found["index"]) > 1 else f"<i>{found['index']}</i>"
    return f'<span class="symbol"><i>{found["letter"]}</i><{place}>{index}</{place}></span>'


def _page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    if "body" in context:
        context["body"] = typeset(context["body"])
    for _, entries in context.get("genindexentries", ()):  # the index has no body
        entries[:] = [(Markup(typeset(escape(name))), links) for name, links in entries]


def setup(app: Sphinx) -> None:
    """Change pages when they are whole."""
    app.connect("html-page-context", _page, priority=800)

"""A figure as SVG: a file of its own, or a part of an HTML page."""

from __future__ import annotations

import io
import re
from html import escape

import matplotlib

from .drawings import Drawing
from .figures import ROLES, STYLE


def standalone(drawing: Drawing) -> str:
    """A file of its own, on white."""
    return _saved(drawing, facecolor="white")


def inlined(drawing: Drawing) -> str:
    """An `<svg>` for an HTML page: transparent, each color the page's variable of its role.

    Its ids begin with the drawing's name, so that one page can have several.
    """
    svg = _saved(drawing, facecolor="none")
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<style.*?</style>", "", svg, flags=re.DOTALL)  # it would style the page
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{drawing.name}-', svg)
    svg = re.sub(r'(href="|url\()#', rf"\g<1>#{drawing.name}-", svg)
    for colour, role in ROLES.items():
        svg = svg.replace(colour, f"var(--{role})")
    words = escape(f"{drawing.title}. {drawing.description}", quote=True)
    head = re.search(r'viewBox="([^"]*)"', svg)
    assert head is not None
    opening = f'<svg viewBox="{head[1]}" role="img" aria-label="{words}">'
    return re.sub(r"<svg[^>]*>", lambda _: opening, svg, count=1)


def _saved(drawing: Drawing, facecolor: str) -> str:
    text = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": drawing.name}):
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        drawing.figure.savefig(text, format="svg", facecolor=facecolor, metadata=nothing)
    return text.getvalue()

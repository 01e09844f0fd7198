"""A report as one HTML file: no script, no network, figures inside; and a figure as SVG."""

from __future__ import annotations

import io
import re
from html import escape
from pathlib import Path

import matplotlib

from .document import Block, Code, Drawing, Paragraph, Report, Section, Table
from .figures import ROLES, STYLE

# Figures set their colours in attributes, hence 'unsafe-inline'; nothing may be fetched or run.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE_SHEET = Path(__file__).with_name("report.css")
MANY = 6  # columns; in a table of more, the first keeps enough room for a configuration


def html_page(report: Report) -> str:
    contents = "\n".join(
        f'<li><a href="#{section.id}">{escape(section.title)}</a></li>'
        for section in report.sections
    )
    body = "\n".join(map(_section, report.sections))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(report.title)}</title>
<style>{STYLE_SHEET.read_text(encoding="utf-8")}</style>
</head>
<body>
<main>
<header>
<h1>{escape(report.title)}</h1>
<p class="subtitle">{_inline(report.subtitle)}</p>
<nav aria-label="Sections"><ol>
{contents}
</ol></nav>
</header>
{body}
</main>
</body>
</html>
"""


def _section(section: Section) -> str:
    blocks = "\n".join(map(_block, section.blocks))
    heading = f'<h2 id="{section.id}-title">{escape(section.title)}</h2>'
    return (
        f'<section id="{section.id}" aria-labelledby="{section.id}-title">\n'
        f"{heading}\n{blocks}\n</section>"
    )


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        kind = f' class="{block.kind}"' if block.kind else ""
        return f"<p{kind}>{_inline(block.text)}</p>"
    if isinstance(block, Code):
        return f"<pre><code>{escape(block.text)}</code></pre>"
    if isinstance(block, Drawing):
        caption = f"<b>{escape(block.title)}</b><span>{_inline(block.description)}</span>"
        return f"<figure>\n<figcaption>{caption}</figcaption>\n{inlined(block)}</figure>"
    return _table(block)


def _table(table: Table) -> str:
    right = [' class="right"' if name.startswith("#") else "" for name in table.head]
    head = "".join(
        f'<th scope="col"{side}>{escape(name.lstrip("#"))}</th>'
        for name, side in zip(table.head, right, strict=True)
    )
    rows = []
    for place, row in enumerate(table.rows):
        cells = "".join(
            f"<td{side}>{_inline(cell)}</td>" for cell, side in zip(row, right, strict=True)
        )
        rows.append(f"<tr{' class=marked' if place in table.marked else ''}>{cells}</tr>")
    body = "\n".join(rows)
    wide = ' class="wide"' if len(table.head) > MANY else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.caption)}">'
        f"<table{wide}>\n<caption>{_inline(table.caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _inline(text: str) -> str:
    """Escaped, with `code` and **bold**; a number stays on the line of its unit."""
    text = re.sub(r"(\d) (%|s\b|points?\b)", "\\1\u00a0\\2", text)
    shown = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*\n]+)\*\*", r"<b>\1</b>", shown)


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

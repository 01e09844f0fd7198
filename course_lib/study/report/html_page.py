"""A report as one HTML file: no script, no network, figures inside."""

from __future__ import annotations

import re
from html import escape

from .document import Block, Code, Drawing, Paragraph, Report, Section, Table
from .style import STYLE
from .svg import inlined

# Figures set their colours in attributes, hence 'unsafe-inline'; nothing may be fetched or run.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
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
<style>{STYLE}</style>
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

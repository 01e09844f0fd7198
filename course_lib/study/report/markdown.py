"""A report as Markdown; its figures are files beside it, in `figures/`."""

from __future__ import annotations

from .document import Block, Code, Drawing, Paragraph, Report, Table


def markdown(report: Report) -> str:
    parts = [f"# {report.title}", report.subtitle]
    for section in report.sections:
        parts.append(f"## {section.title}")
        parts += map(_block, section.blocks)
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _escaped(block.text)
    if isinstance(block, Code):
        return f"```sh\n{block.text}\n```"
    if isinstance(block, Drawing):
        image = f"![{_escaped(block.title)}](figures/{block.name}.svg)"
        return f"**{_escaped(block.title)}.** {_escaped(block.description)}\n\n{image}"
    return _table(block)


def _table(table: Table) -> str:
    head = [_cell(name.lstrip("#")) for name in table.head]
    sides = ["---:" if name.startswith("#") else "---" for name in table.head]
    rows = [
        [f"**{_cell(text)}**" if i in table.marked and text else _cell(text) for text in row]
        for i, row in enumerate(table.rows)
    ]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in (head, sides, *rows))
    return f"{_escaped(table.caption)}\n\n{lines}"


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|").replace("\n", " ")


def _escaped(text: str) -> str:
    """No HTML of anyone's; names such as n_layers stay as they are."""
    return text.replace("<", "&lt;")

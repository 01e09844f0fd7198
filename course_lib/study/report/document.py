"""The parts of a report, and the same as Markdown, with its figures as files next to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure


@dataclass(frozen=True)
class Paragraph:
    """A few sentences; **bold** and `code` are allowed."""

    text: str
    kind: str = ""  # "lead" for the answer, "note" for what is said in small print


@dataclass(frozen=True)
class Table:
    """Cells as text; a column whose head begins with "#" holds numbers, set to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    marked: Sequence[int] = ()  # rows that are the recommended configuration


@dataclass(frozen=True)
class Drawing:
    """A figure with its file name, its title, and in words what is to be seen in it."""

    name: str
    title: str
    description: str
    figure: Figure


@dataclass(frozen=True)
class Code:
    """Commands, one a line."""

    text: str


Block = Paragraph | Table | Drawing | Code


@dataclass(frozen=True)
class Section:
    title: str
    blocks: Sequence[Block]
    id: str = ""


def section(title: str, *blocks: Block | str) -> Section:
    """A section; a string is a paragraph, and an empty one is left out."""
    return Section(title, [Paragraph(b) if isinstance(b, str) else b for b in blocks if b != ""])


@dataclass(frozen=True)
class Report:
    title: str
    subtitle: str
    sections: Sequence[Section] = ()

    @property
    def drawings(self) -> list[Drawing]:
        return [b for section in self.sections for b in section.blocks if isinstance(b, Drawing)]


def markdown(report: Report) -> str:
    """The report as Markdown; its figures are the files `figures/NAME.svg`."""
    parts = [f"# {report.title}", report.subtitle]
    for part in report.sections:
        parts += [f"## {part.title}", *map(_block, part.blocks)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _escaped(block.text)
    if isinstance(block, Code):
        return f"```sh\n{block.text}\n```"
    if isinstance(block, Drawing):
        image = f"![{_escaped(block.title)}](figures/{block.name}.svg)"
        return f"**{_escaped(block.title)}.** {_escaped(block.description)}\n\n{image}"
    head = [_cell(name.lstrip("#")) for name in block.head]
    sides = ["---:" if name.startswith("#") else "---" for name in block.head]
    rows = [
        [f"**{_cell(text)}**" if i in block.marked and text else _cell(text) for text in row]
        for i, row in enumerate(block.rows)
    ]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in (head, sides, *rows))
    return f"{_escaped(block.caption)}\n\n{lines}"


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|").replace("\n", " ")


def _escaped(text: str) -> str:
    """No HTML of anyone's; names such as n_layers stay as they are."""
    return text.replace("<", "&lt;")

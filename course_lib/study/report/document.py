"""What a report is made of; `html_page` and `markdown` each know how to write it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure


@dataclass(frozen=True)
class Paragraph:
    """A few sentences; **bold** and `code` may stand in them."""

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


@dataclass(frozen=True)
class Report:
    title: str
    subtitle: str
    sections: Sequence[Section] = field(default_factory=tuple)

    @property
    def drawings(self) -> list[Drawing]:
        return [b for section in self.sections for b in section.blocks if isinstance(b, Drawing)]

"""The change that a mistake makes in a component's source, written as in a diff.

`- ` comes before a line of the source, `+ ` before one of the mistake, two spaces before one that
stays and only says where. The lines may have less indentation than in the source; `@@` is between
two places.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

BETWEEN = "@@"


@dataclass(frozen=True)
class Hunk:
    """Neighboring lines of the source, and what they become."""

    old: tuple[str, ...]
    new: tuple[str, ...]

    def places(self, lines: Sequence[str]) -> list[int]:
        """The numbers, from 0, of the lines that it may begin at."""
        starts = range(len(lines) - len(self.old) + 1) if self.old else ()
        return [start for start in starts if self._fits(lines[start : start + len(self.old)])]

    def inserted(self, line: str) -> list[str]:
        """Its new lines, where its first old one is `line`."""
        return _indented(self.new, self._indent(line))

    def _fits(self, lines: Sequence[str]) -> bool:
        return _indented(self.old, self._indent(lines[0])) == [line.rstrip() for line in lines]

    def _indent(self, line: str) -> str:
        return " " * (_indent(line) - _indent(self.old[0]))


def parse(lines: Sequence[str]) -> list[Hunk]:
    """The hunks of a change. Raises ValueError for a line that is none of a diff."""
    hunks = list[list[str]]([[]])
    for line in lines:
        if line.strip() == BETWEEN:
            hunks.append([])
        elif line[:1] in ("-", "+", " ") and line[1:2] in ("", " "):
            hunks[-1].append(line)
        else:
            raise ValueError(f"{line!r} begins with no '- ', '+ ' or two spaces: correct it")
    return [_hunk(hunk) for hunk in hunks]


def apply(hunks: Sequence[Hunk], source: str) -> str:
    """The source with the hunks changed. Raises ValueError unless each has one place in it."""
    lines = source.splitlines()
    found = list[tuple[int, Hunk]]()
    for hunk in hunks:
        places = hunk.places(lines)
        if len(places) != 1:
            first = next(iter(hunk.old), "a line to say where")
            raise ValueError(
                f"{first.strip()!r} with the lines that follow occurs {len(places)} times"
            )
        found.append((places[0], hunk))
    for start, hunk in sorted(found, key=lambda one: one[0], reverse=True):
        lines[start : start + len(hunk.old)] = hunk.inserted(lines[start])
    return "\n".join(lines) + "\n"


def _hunk(lines: Sequence[str]) -> Hunk:
    texts = textwrap.dedent("\n".join(line[2:] for line in lines)).split("\n")
    pairs = [(line[0], text.rstrip()) for line, text in zip(lines, texts, strict=True)]
    old = tuple(text for sign, text in pairs if sign != "+")
    return Hunk(old, tuple(text for sign, text in pairs if sign != "-"))


def _indented(lines: Sequence[str], by: str) -> list[str]:
    return [by + line if line else line for line in lines]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

"""A named mistake: a wrong submission that proves the grader, made from the right source.

Those of an exercise are texts in its record, `exercise.toml`: one of each component under
`[mistakes]`, with blank lines between the mistakes:

    softmax_no_max_shift: exp overflows: subtract the maximum first
    - shifted = x - np.max(x, axis=axis, keepdims=True)
    + shifted = x

A change is a diff: two spaces come before a line that stays and only says where. The lines may have
less indentation than in the source; `@@` is between two places.
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import PrivateAttr

from ..problem import Problem
from ..table import Misplaced, Table

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


class BugError(Problem):
    """A named mistake that does not fit the source it is about."""


class Bug(Table):
    """One realistic mistake in one component. Which tests catch it is found by asking it."""

    component: str  # "library.module:name"
    sentence: str  # what students read
    change: tuple[Hunk, ...]
    key: str = ""  # the component's, in the table `[mistakes]` of a record
    pins: tuple[str, ...] = ()  # sentences of the starter that fix this behavior
    corner: str = ""  # why it may cost little and fail no visible check: which inputs show it

    _name: str = PrivateAttr(default="")
    _exercise: str = PrivateAttr(default="")

    @property
    def name(self) -> str:
        """Its id."""
        return self._name

    @property
    def exercise(self) -> str:
        """The id of the exercise that it is of."""
        return self._exercise

    @property
    def place(self) -> tuple[str, str, str]:
        """Where it is in the record."""
        return "mistakes", self.key, self.name

    def apply(self, source: str) -> str:
        """The source with the mistake made. Raises BugError unless its lines occur once."""
        try:
            return apply(self.change, source)
        except ValueError as error:
            raise BugError(f"{self.name}: {error} in {self.component}, not once") from None


def read(text: str, component: str, key: str) -> dict[str, dict[str, Any]]:
    """The mistakes of a text, by id. Raises ValueError for one that is not well formed."""
    found: dict[str, dict[str, Any]] = {}
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        first, *rest = block.splitlines()
        id, _, sentence = first.partition(": ")
        if not re.fullmatch(r"\w+", id) or not sentence or id in found:
            raise ValueError(f"{first!r}: begin a mistake with `id: sentence` and an id of its own")
        notes = [line for line in rest if line.startswith(("pins: ", "corner: "))]
        told = [note.split(": ", 1) for note in notes]
        try:
            hunks = parse([line for line in rest if line not in notes])
        except ValueError as error:
            raise Misplaced(f"{id}: {error}", id) from None
        found[id] = {
            "component": component,
            "key": key,
            "sentence": sentence,
            "change": hunks,
            "pins": [text for kind, text in told if kind == "pins"],
            "corner": "".join(text for kind, text in told if kind == "corner"),
        }
    return found

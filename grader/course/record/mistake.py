"""A named mistake: a wrong submission that proves the grader, made from the right source.

Those of an exercise are texts in its record, `exercise.toml`: one of each component under
`[mistakes]`, with blank lines between the mistakes:

    softmax_no_max_shift: exp overflows: subtract the maximum first
    - shifted = x - np.max(x, axis=axis, keepdims=True)
    + shifted = x
"""

import re
from typing import Any

from pydantic import PrivateAttr

from ..problem import Problem
from ..table import Misplaced, Table
from . import change


class BugError(Problem):
    """A named mistake that does not fit the source it is about."""


class Bug(Table):
    """One realistic mistake in one component. Which tests catch it is found by asking it."""

    component: str  # "library.module:name"
    sentence: str  # what students read
    change: tuple[change.Hunk, ...]
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
            return change.apply(self.change, source)
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
            hunks = change.parse([line for line in rest if line not in notes])
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

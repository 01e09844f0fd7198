"""The paper's statements, the code that carries each out, and the evidence for it.

A row of `lectures/paper_audit.toml` has a `number`, which the library cites (see `citations`), a
section, what the paper `says`, how far it is `given` (one of GIVEN), the `alternatives`, what
`changes` with them, and one of

- `components` with `broken_by`, a named mistake (or `tested_by`, a test): carried out there;
- `claims` with `paper`: values of the library, and what the first must be equal to;
- `open`: the paper leaves it open; the text says why it matters;
- `differs`, `absent`: the text says what is done instead, or why nothing is.

What a row says of the code is checked against it: `claims` (each value, see `.claims`), `calls`
(a component calls this function) and `lacks` (a function has no such parameter). In its texts,
`{exercise}` and `{assignment}` stand for those of its first component, `{exercise:MODULE:NAME}` for
those of another one; a text that names an exercise by hand is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from book import CHECKOUT
from grader.course import mistakes, toml
from grader.course.course import Course

from .. import references
from . import claims as claimed
from .citations import Anchor, anchors

FILE = CHECKOUT / "lectures" / "paper_audit.toml"
GIVEN = ("SPECIFIED", "PARTIAL", "UNSPECIFIED")
_ASKED = re.compile(r"\{(exercise|assignment)(?::([\w.]+:\w+))?\}")


@dataclass(frozen=True)
class Statement:
    """One statement of the paper, or one thing that it leaves open."""

    number: str
    section: str
    says: str
    given: str
    alternatives: str
    changes: str
    components: tuple[str, ...] = ()
    broken_by: str = ""  # "a2/attention_not_scaled"
    tested_by: str = ""  # "tests/training/test_metrics.py::test_a_score_carries_its_signature"
    claims: Mapping[str, Any] = field(default_factory=dict)  # what has a value → the value
    calls: Mapping[str, str] = field(default_factory=dict)  # component → a function it calls
    lacks: tuple[str, ...] = ()  # "module:function(parameter)"
    paper: Any = None
    open: str = ""
    differs: str = ""
    absent: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """The components and whatever has a value that it claims, as "module:name"."""
        holders = filter(None, map(claimed.holder, self.claims))
        return (*dict.fromkeys([*self.components, *self.calls, *holders]),)

    @property
    def bug(self) -> mistakes.Bug:
        """The named mistake that breaks it. Raises BugError if there is none."""
        return mistakes.named(Course.here(), self.broken_by)

    def filled(self, text: str) -> str:
        """A text of it with the numbers of exercises. Raises BuildError if there is no exercise."""

        def number(found: re.Match[str]) -> str:
            asked = [found[2]] if found[2] else self.components
            exercise = references.exercise_of(*asked)
            return exercise.id if found[1] == "exercise" else exercise.id.partition(".")[0]

        return _ASKED.sub(number, text)


def load(path: Path = FILE) -> list[Statement]:
    """All statements, in the file's order. Raises TypeError for a key that is not one."""
    rows = toml.loads(path.read_text(encoding="utf-8"))["statements"]
    known = {one.name for one in fields(Statement)}
    for row in rows:
        if unknown := sorted(row.keys() - known):
            raise TypeError(f"{path.name}: unknown key {unknown[0]!r} of {row.get('says')!r}")
    several = ("components", "lacks")
    return [Statement(**row | {key: tuple(row.get(key, ())) for key in several}) for row in rows]


def where(statement: Statement) -> list[Anchor]:
    """The anchors of this statement's section in its components."""
    return [
        anchor
        for anchor in anchors()
        if anchor.is_in(statement.places) and statement.section in anchor.sections
    ]

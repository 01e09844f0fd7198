"""The sentences of a starter that pin a behaviour, each with the tests and the bug that hold it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Pinned:
    """One sentence, or a part of it, as the starter has it."""

    sentence: str
    exercise: str
    test: str  # the hidden one, FILE::NAME
    bug: str  # of autograder/bugs, caught by that test
    visible: str = ""  # the visible one; without it, `why`
    why: str = ""


def load(assignment: str) -> list[Pinned]:
    """All pinned sentences of an assignment. Raises TypeError for a wrong key."""
    text = (FOLDER / assignment / "pinned.toml").read_text(encoding="utf-8")
    return [Pinned(**entry) for entry in tomllib.loads(text)["pinned"]]

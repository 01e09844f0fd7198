"""The mistakes that a hidden test can name: `MISTAKE = known_mistakes(__file__)`.

    causes={MISTAKE.scores_not_scaled: queries @ keys.T}

Students read the mistake's sentence; which mistake a failure shows is decided by its id.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ..course.course_file import shown
from ..course.mistakes import sentences
from ..course.record.files import FILE
from .faults import SuiteError


class Sentence(str):
    """A mistake's sentence, which knows the id of its mistake."""

    mistake: str

    def __new__(cls, text: str, mistake: str = "") -> Sentence:
        self = super().__new__(cls, text)
        self.mistake = mistake
        return self

    def __add__(self, more: str) -> Sentence:
        return Sentence(super().__add__(more), self.mistake)

    def format(self, *values: object, **named: object) -> Sentence:
        """The sentence with its varying parts filled in."""
        return Sentence(super().format(*values, **named), self.mistake)


class KnownMistakes:
    """The sentences of some mistakes, each an attribute with the mistake's id as its name.

    Another name raises SuiteError: a test's own mistake is never charged to a student.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._known = {
            id: Sentence(text, id)
            for path in sorted(folder.rglob(FILE))
            for id, text in sentences(path).items()
        }
        self._ids: dict[str, str] = {text: id for id, text in reversed(self._known.items())}

    def __getattr__(self, id: str) -> Sentence:
        if id.startswith("_"):
            raise AttributeError(id)
        if id not in self._known:
            raise SuiteError(f"{shown(self._folder)}: no {FILE} has a mistake {id!r}: add it")
        return self._known[id]

    def __contains__(self, id: str) -> bool:
        return id in self._known

    def saying(self, text: str) -> str:
        """A sentence with a varying part: that of a mistake if one has it, or else the text."""
        return self._known[self._ids[text]] if text in self._ids else text


def known_mistakes(file: str) -> KnownMistakes:
    """The mistakes that stand beside a test's file, or below a module that tests share."""
    return _beside(Path(file).parent)


@lru_cache(maxsize=64)
def _beside(folder: Path) -> KnownMistakes:
    return KnownMistakes(folder)


def id_of(cause: Any) -> str:
    """The id of the mistake that a message names; "" if it names none."""
    return getattr(cause, "mistake", "")

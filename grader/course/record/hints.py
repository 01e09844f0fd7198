"""Staged hints of an exercise: a question, a direction, and the shape of the answer."""

from typing import Annotated

from pydantic import AfterValidator

from ..table import Table

WORDS = 60  # at most, in one hint


def _short(text: str) -> str:
    """The text in one line. Raises ValueError for none or too many words."""
    words = text.split()
    if not 0 < len(words) <= WORDS:
        raise ValueError(f"a hint has {len(words)} words: give 1 to {WORDS}")
    return " ".join(words)


Hint = Annotated[str, AfterValidator(_short)]


class Hints(Table):
    """The table `[hints]` of an exercise, in the order in which a student opens them."""

    question: Hint
    direction: Hint
    shape: Hint
    answers: list[str]  # the exercise's named mistakes that they are written against

    @property
    def texts(self) -> tuple[str, str, str]:
        return self.question, self.direction, self.shape

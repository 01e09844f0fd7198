"""The browser that benchmarks of pages use: the system's own."""

from __future__ import annotations

from book.decks.browser import BROWSERS, installed
from grader.course.problem import Problem


class NoBrowserError(Problem):
    """There is no browser to measure with."""


def path() -> str:
    """Where it is. Raises NoBrowserError."""
    found = installed()
    if found is None:
        raise NoBrowserError(f"none of {', '.join(BROWSERS)} is installed: install one")
    return found

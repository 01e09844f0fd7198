"""The browser that benchmarks of pages use: the system's own."""

from __future__ import annotations

import shutil

from grader.course.problem import Problem

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class NoBrowserError(Problem):
    """There is no browser to measure with."""


def path() -> str:
    """Where it is. Raises NoBrowserError."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise NoBrowserError(f"none of {', '.join(BROWSERS)} is installed: install one")
    return found

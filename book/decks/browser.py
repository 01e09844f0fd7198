"""The system's own Chromium without a window, driven by Playwright: nothing is downloaded."""

import contextlib
import shutil
from collections.abc import Iterator
from typing import Any

from grader.course.problem import Problem

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


class NoBrowserError(Problem):
    """There is no browser on this machine."""


def installed() -> str | None:
    """Where the browser is, if the system has one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def path() -> str:
    """Where it is. Raises NoBrowserError."""
    found = installed()
    if found is None:
        raise NoBrowserError(f"none of {', '.join(BROWSERS)} is installed: install one")
    return found


@contextlib.contextmanager
def running(binary: str) -> Iterator[Any]:
    """Playwright's browser; it ends with the block."""
    from playwright.sync_api import sync_playwright  # tests ask here whether there is a browser

    with sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=binary)
        yield window
        window.close()

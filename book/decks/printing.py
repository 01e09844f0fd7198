"""Decks as PDF: reveal.js lays all slides out as pages, and a browser prints them.

The browser is whatever Chromium this machine has; nothing is downloaded, and the site is built
without one.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from grader.course.problem import Problem

from .first_slide import DECKS

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SECONDS = 120  # of one deck, on a slow machine
LAID_OUT = 20_000  # milliseconds of the page's own clock for formulas and layout


class PrintError(Problem):
    """A deck cannot be printed; the message says what to do."""

    exit_code = 2


def decks(site: Path, parts: Sequence[str]) -> list[Path]:
    """The decks of a built site, or those whose names begin with `parts`. Raises PrintError."""
    found = sorted((site / DECKS).glob("part*.html"))
    if not found:
        raise PrintError(f"{site} holds no slides: run `course site build` first")
    for part in parts:
        if not any(deck.stem.partition("_")[0] == part for deck in found):
            raise PrintError(f"{part}: there is no such deck in {site / DECKS}")
    return [deck for deck in found if not parts or deck.stem.partition("_")[0] in parts]


def pdf(deck: Path, to: Path) -> Path:
    """Print one deck into the folder `to`. Raises PrintError."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise PrintError(
            f"none of {', '.join(BROWSERS)} is installed: open the deck in any browser with "
            "`?print-pdf` behind its address, and print that to a file"
        )
    to.mkdir(parents=True, exist_ok=True)
    target = to.resolve() / f"{deck.stem}.pdf"
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
    clock = f"--virtual-time-budget={LAID_OUT}"  # it prints when the page's clock says so
    address = f"{deck.resolve().as_uri()}?print-pdf"
    command = [browser, *options, clock, f"--print-to-pdf={target}", address]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise PrintError(f"{deck.name}: {browser} did not print it in {SECONDS} s") from None
    if done.returncode or not target.is_file():
        raise PrintError(f"{deck.name}: {browser} did not print it: {done.stderr.strip()[-300:]}")
    return target

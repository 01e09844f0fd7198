"""Decks as PDF: reveal.js lays all slides out as pages, and a browser prints them.

The browser is whatever Chromium this machine has; nothing is downloaded, and the site is built
without one.
"""

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Error, TimeoutError

from book import DECKS
from grader.course.problem import Problem

from . import browser

SECONDS = 240  # of one deck, on a loaded machine
# Waits until reveal.js has laid all slides out as pages, and `deck.js` has made each fit its page;
# gives the number of pages and of slides.
LAID_OUT = """(async () => {
    const soon = () => new Promise((go) => setTimeout(go, 50));
    const pages = () => [...document.querySelectorAll(".pdf-page")];
    while (!(window.Reveal && Reveal.isReady() && pages().length)) await soon();
    if (window.formulas) await formulas.all();
    await document.fonts.ready;
    const open = ".pdf-page section > .docutils:not([data-fits])";
    while (document.querySelector(open)) await soon();
    return [pages().length, Reveal.getTotalSlides()];
})()"""


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
    binary = browser.installed()
    if binary is None:
        raise PrintError(
            f"this takes one of {', '.join(browser.BROWSERS)}: open the deck in any browser with "
            "`?print-pdf` behind its address, and print that to a file"
        )
    to.mkdir(parents=True, exist_ok=True)
    target = to / f"{deck.stem}.pdf"
    try:
        with browser.running(binary) as window:
            page = window.new_page()
            page.set_default_timeout(1000 * SECONDS)
            page.goto(f"{deck.resolve().as_uri()}?print-pdf")
            pages, slides = page.wait_for_function(LAID_OUT).json_value()
            if pages != slides:
                raise PrintError(f"{deck.name}: its {slides} slides make {pages} pages")
            page.pdf(path=target, print_background=True, prefer_css_page_size=True)
    except Error as error:
        said = "it gave no answer in time" if isinstance(error, TimeoutError) else error.message
        raise PrintError(f"{deck.name}: {binary} did not print it: {said}") from None
    return target

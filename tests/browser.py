"""Chromium without a window, driven by Playwright, and what axe-core finds to mend in a page.

Both are optional: a test that asks for what is not installed is skipped, with the reason.
"""

from contextlib import contextmanager

import pytest

from book.decks.browser import BROWSERS, installed

BINARY = installed()
SETTLED = "!document.getAnimations().some((one) => one instanceof CSSTransition)"
EXTRA = "`pip install -e .[dev]` brings it"
SCREENS = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


@contextmanager
def chromium():
    """The system's own browser: nothing is downloaded."""
    if BINARY is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    playwright = pytest.importorskip("playwright.sync_api", reason=f"no Playwright: {EXTRA}")
    with playwright.sync_playwright() as driver:
        yield driver.chromium.launch(executable_path=BINARY)


def expect(shown):
    """Playwright's assertions about a page or a locator: each waits until it is true.

    What the browser does by itself, such as passing on what a page stored, takes its time.
    """
    from playwright import sync_api

    sync_api.expect.set_options(timeout=30_000)
    return sync_api.expect(shown)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def width(page):
    """Of the whole page, where a phone would show all of it."""
    return page.evaluate("document.documentElement.scrollWidth")


def violations(page):
    """What axe-core finds, with all its rules (WCAG 2 A and AA, best practices).

    Once no transition runs: on a slow machine a color halfway between two would be judged.
    """
    page.wait_for_function(SETTLED)
    reason = f"no axe-core: {EXTRA}"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason)
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]

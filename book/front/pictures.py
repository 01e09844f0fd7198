"""`course site pictures`: README's pictures, in light and in dark colors.

They are taken from what readers use: the built site, the report of `make demo`, a check that runs
in a notebook's kernel, and the alignment of the translator on the live page.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.course.course import Course
from grader.course.problem import Problem

from ..decks import browser
from ..documents.front_page import PICTURES, Picture
from ..live.claims import README_SENTENCE
from . import attention, cell

SCHEMES = ("light", "dark")
DOTS = 1200, 880  # of each picture
WIDTHS = {
    "live": 660,
    "check": 600,
    "report": 800,
}  # of the window
MOST_BYTES = 100_000
STUDENT = "student-s05-mask.html"  # of the demonstration, with a cause worth reading


class NoPageError(Problem):
    """A page to be pictured has not been made."""

    exit_code = 2


def take(course: Course, site: Path, report: Path, log: Callable[[str], None]) -> list[Path]:
    """Write README's pictures; returns their paths. Raises NoPageError, NoBrowserError."""
    pages = {"live": site / "live.html", "report": report / STUDENT}
    for page, command in zip(pages.values(), ("course site build", "make demo"), strict=True):
        if not page.is_file():
            raise NoPageError(f"{page} is missing: run `{command}` first")
    binary = browser.path()
    log("a check runs in a notebook's kernel")
    pages["check"] = cell.page(course, report.parent / "check.html")
    written = []
    with browser.running(binary) as chromium:
        for picture in PICTURES:
            log(picture.name)
            for scheme, path in zip(SCHEMES, picture.paths, strict=True):
                shot = _shot(chromium, pages, picture, scheme)
                written.append(_written(shot, course.root / path))
    return written


def _shot(chromium: Any, pages: dict[str, Path], picture: Picture, scheme: str) -> bytes:
    """A PNG of one picture."""
    if picture.name == "attention":
        return attention.png(dark=scheme == "dark")
    width = WIDTHS[picture.name]
    context = chromium.new_context(
        viewport={"width": width, "height": width * DOTS[1] // DOTS[0]},
        device_scale_factor=DOTS[0] / width,
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(pages[picture.name].resolve().as_uri())
    if prepare := PREPARED.get(picture.name):
        prepare(page)
    shot: bytes = page.screenshot()
    context.close()
    return shot


def _live(page: Any) -> None:
    """The models running, on a word that shows what it looked at."""
    page.wait_for_function("live.page && live.page.writer.bars.children.length")
    page.fill("#live-text", README_SENTENCE)
    page.press("#live-text", "Enter")
    page.wait_for_function("!live.page.result.textContent.includes('computing')")
    page.locator('.live-word[data-lane="target"]', has_text="chiens").focus()
    page.add_style_tag(content=".bd-header-article, #pst-back-to-top { display: none !important }")
    _scroll(page, ".live-result")
    page.wait_for_timeout(500)


def _check(page: Any) -> None:
    """The whole card, smaller if it is higher than the picture."""
    height = "document.documentElement.scrollHeight"
    page.evaluate(f"document.body.style.zoom = Math.min(1, 0.98 * innerHeight / {height})")


def _report(page: Any) -> None:
    """The first assignment: its points, the causes, the exercises."""
    _scroll(page, "h2")


def _scroll(page: Any, selector: str) -> None:
    """Bring an element to the top of the window."""
    top = f"document.querySelector('{selector}').getBoundingClientRect().top"
    page.evaluate(f"scrollTo({{top: scrollY + {top} - 12, behavior: 'instant'}})")


PREPARED: dict[str, Callable[[Any], None]] = {"live": _live, "check": _check, "report": _report}


def _written(png: bytes, path: Path) -> Path:
    """The picture as WebP, as good as its size allows."""
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGB")
    for quality in (90, 80, 70, 60):
        data = io.BytesIO()
        image.save(data, "webp", quality=quality, method=6)
        if data.tell() <= MOST_BYTES:
            break
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data.getvalue())
    return path

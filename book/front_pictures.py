"""`course site pictures`: README's pictures, in light and in dark colors.

They are taken from what readers use: the built site, the report of `make demo`, a check that runs
in a notebook's kernel, and the alignment of the translator on the live page.
"""

import io
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from course_lib.analysis.attention_alignment import plot_alignment
from course_lib.analysis.translator_alignment import align
from course_lib.decoding.translator import Translator
from course_lib.drawings.palette import ROLES
from grader.authoring import course_build
from grader.authoring.views import notebooks
from grader.course import mistakes
from grader.course.course import Course
from grader.course.problem import Problem
from grader.library.components import Component

from .decks import browser
from .documents.front_page import PICTURES, Picture
from .live import live_model
from .live.claims import README_SENTENCE

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
    pages["check"] = _checked_cell(course, report.parent / "check.html")
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
        return _heat_map(dark=scheme == "dark")
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


SENTENCE = "The old king never sleeps in his castle."  # French has another order, and one word more
INCHES, RESOLUTION = (8.0, 5.87), 150  # of the other pictures' shape


def _heat_map(dark: bool) -> bytes:
    """The picture for a page in light or dark colors."""
    import matplotlib.pyplot as plt

    translator = Translator.load(live_model.FOLDER)
    (translation,) = translator.translate([SENTENCE])
    found = align(translator, SENTENCE, translation)
    paper, ink = ROLES["paper"], ROLES["ink"]
    back, front = (paper.dark_fill, ink.dark_fill) if dark else (paper.fill, ink.fill)
    colors: dict[Any, Any] = {
        "figure.facecolor": back,
        "axes.facecolor": back,
        "font.size": 14,
        "figure.constrained_layout.h_pad": 0.15,
        "figure.constrained_layout.w_pad": 0.15,
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"),
            front,
        ),
    }
    with plt.rc_context(colors):
        figure, ax = plt.subplots(figsize=INCHES, layout="constrained")
        plot_alignment(found.weights, found.source, found.target, ax)
        ax.set(title="", xlabel="", ylabel="")
        ax.tick_params(length=0)
        data = io.BytesIO()
        figure.savefig(data, format="png", dpi=RESOLUTION)
        plt.close(figure)
    return data.getvalue()


MISTAKE = "a1/scores_divided_by_d_k"
_DOCSTRING = re.compile(r'^ +""".*?"""\n', re.M | re.S)
CHECK = 'check("A1.3")'
PAGE = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>A check</title><style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; padding: 18px; font: 15px/1.45 system-ui, sans-serif;
  color: light-dark(#1b2330, #eceae4); background: light-dark(#fff, #171b21); }}
pre {{ margin: 0; font: 13.5px/1.45 "DejaVu Sans Mono", monospace; white-space: pre-wrap; }}
.in {{ margin: 0 0 12px; padding: 10px 12px; border: 1px solid light-dark(#d5d9df, #3a424e);
  border-radius: 4px; background: light-dark(#f6f7f9, #1f252d); }}
.out {{ margin: 0 0 14px 12px; }}
{light}
@media (prefers-color-scheme: dark) {{ {dark} }}
.in .highlight {{ background: none; }}
</style><body>{cells}</body></html>
"""


def _checked_cell(course: Course, path: Path) -> Path:
    """Run the check in a kernel and write the page; returns its path."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    bug = mistakes.named(course, MISTAKE)
    source = bug.apply(Component.parse(bug.component).source)
    assignment = course.assignment(MISTAKE.partition("/")[0])
    notebook = notebooks.build(course, assignment, "solution", {bug.component: source})
    texts = ["".join(cell["source"]) for cell in notebook["cells"]]
    del notebook["cells"][texts.index(CHECK) + 1 :]
    executed = course_build.run(notebook, assignment.folder)
    checked = executed["cells"][-1]

    def shown(code: str) -> str:
        return f'<div class="in">{highlight(code, PythonLexer(), HtmlFormatter())}</div>'

    outputs = "".join(map(_output, checked["outputs"]))
    text = PAGE.format(
        light=HtmlFormatter(style="default").get_style_defs(".highlight"),
        dark=HtmlFormatter(style="github-dark").get_style_defs(".highlight"),
        cells=f'{shown(_DOCSTRING.sub("", source))}{shown(CHECK)}<div class="out">{outputs}</div>',
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _output(output: dict[str, Any]) -> str:
    """The part of an output that a notebook shows: its HTML, or its text."""
    data = output.get("data", {})
    if html := data.get("text/html"):
        return "".join(html)
    return f"<pre>{escape(''.join(output.get('text', data.get('text/plain', ''))))}</pre>"

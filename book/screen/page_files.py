"""Chooses the files that a page of the book loads: only those it uses, scripts after its text."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from ..decks.slides import DECK

# By file: what a page contains that needs it. Every page loads what is not named here.
NEEDED_BY = {
    "quiz.css": "quiz-form",
    "quiz.js": "quiz-form",
    "week_map.css": "week-map",
    "enlarge.js": "for-dark",
    "first_slide.css": "first-slide",
    "progress.js": "step-mark",
    "steps.css": "step-mark",
    "live/live.css": 'id="live-model"',
    "code/": 'id="code-drawing"',
    "sphinx-design.min.css": 'class="sd-',
    "design-tabs.js": "sd-tab-set",
    "mystnb": 'class="cell',
}
FORMULAS = "formulas.js"
THEME = "_static/styles/pydata-sphinx-theme.css"
_GLYPH = re.compile(r"[^{}]*\{--fa:[^{}]*\}")  # .fa-house{--fa:"\f015"}
NEEDED_AT_ONCE = "documentation_options.js"  # scripts within the page use what it defines


def choose(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Leave out files that the page does not use; all scripts but one run when it is parsed."""
    body = context.get("body", "")
    for kind in ("css_files", "script_files"):
        context[kind] = [file for file in context[kind] if _used(_path(file), body)]
    if app.builder.name == DECK:  # its template names all else
        context["script_files"] = [
            one for one in context["script_files"] if _path(one).endswith(FORMULAS)
        ]
        return
    for script in context["script_files"]:  # which all pages share
        if page == "search":  # its own scripts are never deferred, and use these
            script.attributes.pop("defer", None)
        elif script.filename and not str(script.filename).endswith(NEEDED_AT_ONCE):
            script.attributes.setdefault("defer", "defer")


def _path(file: Any) -> str:
    """Where a style sheet or script is; a deck's theme is named by its path alone."""
    return str(getattr(file, "filename", file) or "")


def _used(path: str, body: str) -> bool:
    name = path.removeprefix("_static/")
    return all(mark in body for file, mark in NEEDED_BY.items() if name.startswith(file))


def _formulas(app: Sphinx, config: Config) -> None:
    """A script of ours, which decks take from the book, loads MathJax when it is needed."""
    is_deck = app.tags.has("deck")
    config.mathjax_path = f"../../_static/{FORMULAS}" if is_deck else FORMULAS


def _search(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Shows readable text, without TeX, below a result of the search page."""
    if page == "search":
        app.add_js_file("search.js")


def _words(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The glossary is written anew: Sphinx forgets what a search finds of an older page's index."""
    return list(env.found_docs & {"glossary"})  # no deck has it


def _shorten(app: Sphinx, error: Exception | None) -> None:
    """The theme's style sheet without its icon font's glyphs: a third of what a page waits for.

    Our pages show icons that `icons.css` draws; `test_site` looks for any other.
    """
    sheet = Path(app.outdir) / THEME
    if error is None and sheet.is_file():
        text = sheet.read_text(encoding="utf-8")
        sheet.write_text(_GLYPH.sub("", text), encoding="utf-8")
        for map in sheet.parent.glob("*.css.map"):  # of the files as the theme's makers wrote them
            map.unlink()


def setup(app: Sphinx) -> None:
    """Choose after every other extension has named its files."""
    app.add_js_file("enlarge.js", loading_method="defer")
    app.connect("env-updated", _words)
    app.connect("html-page-context", _search)
    app.connect("build-finished", _shorten)
    app.connect("config-inited", _formulas)
    app.connect("html-page-context", choose, priority=900)

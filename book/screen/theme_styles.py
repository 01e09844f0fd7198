"""The theme's style sheet without its icon font's glyphs: a third of what a page waits for.

Our pages show icons that `icons.css` draws; `test_site` looks for any other.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

SHEET = "_static/styles/pydata-sphinx-theme.css"
_GLYPH = re.compile(r"[^{}]*\{--fa:[^{}]*\}")  # .fa-house{--fa:"\f015"}


def _shorten(app: Sphinx, error: Exception | None) -> None:
    sheet = Path(app.outdir) / SHEET
    if error is None and sheet.is_file():
        text = sheet.read_text(encoding="utf-8")
        sheet.write_text(_GLYPH.sub("", text), encoding="utf-8")
        for map in sheet.parent.glob("*.css.map"):  # of the files as the theme's makers wrote them
            map.unlink()


def setup(app: Sphinx) -> None:
    """Shorten it when all files are written."""
    app.connect("build-finished", _shorten)

"""Cells that only draw are folded: a reader wants the figure first, and its code on demand."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

DRAWS = re.compile(r"\bplt\.(subplots|figure)\(")
SHOW, HIDE = "Show the code of this figure", "Hide the code"


def _fold(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the cells as MyST-NB marks those with the tag `hide-input`."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and DRAWS.search(_source(cell)):
            if not cell.get("hide_mode"):
                cell["hide_mode"] = "input"
            if cell["hide_mode"] == "input":
                cell["prompt_show"], cell["prompt_hide"] = SHOW, HIDE


def _source(cell: nodes.container) -> str:
    return "".join(code.astext() for code in cell.findall(nodes.literal_block))


def setup(app: Sphinx) -> None:
    """Mark cells when a page has been read."""
    app.connect("doctree-read", _fold)

"""Cells of a notebook on a page: code that only draws is folded, printed chunks are one text."""

import re

from docutils import nodes
from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from nbformat import NotebookNode
from sphinx.application import Sphinx

DRAWS = re.compile(r"\bplt\.(subplots|figure)\(")
SHOW, HIDE = "Show the code of this figure", "Hide the code"


def _fold(app: Sphinx, doctree: nodes.document) -> None:
    """Mark cells that only draw as MyST-NB marks those with the tag `hide-input`.

    A reader wants the figure first, and its code on demand.
    """
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and DRAWS.search(_source(cell)):
            if not cell.get("hide_mode"):
                cell["hide_mode"] = "input"
            if cell["hide_mode"] == "input":
                cell["prompt_show"], cell["prompt_hide"] = SHOW, HIDE


def _source(cell: nodes.container) -> str:
    return "".join(code.astext() for code in cell.findall(nodes.literal_block))


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs with the pieces of each stream as they were printed.

    A kernel sends what has been printed so far when a cell is slow, in the middle of a line too.
    MyST-NB, which joins the pieces, ends the line after each.
    """
    first = dict[str, NotebookNode]()
    kept = list[NotebookNode]()
    for output in outputs:
        name = output["name"] if output["output_type"] == "stream" else ""
        if name in first:
            first[name]["text"] += output["text"]
            continue
        kept.append(output)
        if name:
            first[name] = output
    return coalesce_streams(kept)


def setup(app: Sphinx) -> None:
    """Mark cells when a page has been read, and join streams in place of MyST-NB."""
    app.connect("doctree-read", _fold)
    render.coalesce_streams = joined

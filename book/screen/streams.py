"""Merges a notebook cell's printed chunks into one text."""

from __future__ import annotations

from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from nbformat import NotebookNode
from sphinx.application import Sphinx


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
    """Join in place of MyST-NB."""
    render.coalesce_streams = joined

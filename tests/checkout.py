"""The checkout that the tests are of, and files that they write elsewhere."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def elsewhere(thing, root):
    """An assignment or exercise of the course, as if the course lay in another folder."""
    moved = thing.model_copy()
    moved._root = root
    return moved


EMPTY = '{"cells": [], "nbformat": 4}'  # a notebook


def place(path, content=EMPTY):
    """A file with this text or these bytes, in folders that are made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path

"""The checkout that the tests are of, and files that they write elsewhere."""

from pathlib import Path

from grader.course.record import files
from grader.course.tree import FILE

ROOT = Path(__file__).resolve().parents[1]


def elsewhere(thing, root):
    """An assignment or exercise of the course, as if the course lay in another folder."""
    moved = thing.model_copy()
    moved._root = root
    return moved


def syllabus(folder, change=lambda text: text):
    """The path of `course.toml`, changed, in a folder that has the exercises' records too."""
    for path in files.of_course(ROOT / "autograder"):
        place(folder / path.relative_to(ROOT), path.read_bytes())
    return place(folder / FILE, change((ROOT / FILE).read_text(encoding="utf-8")))


EMPTY = '{"cells": [], "nbformat": 4}'  # a notebook


def place(path, content=EMPTY):
    """A file with this text or these bytes, in folders that are made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path

"""Where the course is, found with nothing but Python: a notebook's packages may be missing yet."""

from __future__ import annotations

from pathlib import Path

FILE = "course.toml"
PACKED = "grader.zip"  # what a release holds of the grader, which Python imports as it is


def above(folder: Path) -> Path | None:
    """The nearest folder, this one or above, with `course.toml`."""
    folder = folder.resolve()
    return next((place for place in (folder, *folder.parents) if (place / FILE).is_file()), None)


def root_of(folder: Path) -> Path:
    """The same; else the one that this program is in."""
    return above(folder) or OWN


def imported_from(root: Path) -> list[str]:
    """The entries of Python's path with which grader and library are those of `root`."""
    return [str(entry) for entry in (root / PACKED, root) if entry.exists()]


_BESIDE = Path(__file__).resolve().parents[2]
OWN = _BESIDE.parent if _BESIDE.name == PACKED else _BESIDE  # the folder that this program is in

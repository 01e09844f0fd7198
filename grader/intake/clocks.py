"""When a submission came in: by the best clock that its place offers.

Gradescope's list; or, if the student's folder is a repository, the newest commit; or nbgrader's
timestamp beside the notebook; or else the date of the file, which copying may change: it makes
nothing late that Canvas did not mark so. A timestamp is believed only in the folder that nbgrader
makes (`STUDENT/a1/`), and in no repository or download, where a student could have put it.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ..classroom.receipt import CANVAS, Receipt, with_zone
from . import git_times, plain_files
from .places import Place

TIMESTAMP = "timestamp.txt"


def receipt(place: Place, data: bytes, saved: Receipt) -> tuple[Receipt, str]:
    """The time of receipt and a notice, if any; `saved` is the date of the file."""
    if place.stated is not None:
        return place.stated, ""
    if place.on_time:
        return replace(saved, clock=CANVAS), ""
    if place.root is None or place.entry:
        return saved, ""
    if os.path.lexists(place.root / ".git"):
        return _committed(place, data, saved)
    if place.depth == 1 and place.path.parent.name.lower() == place.assignment:
        return _stamped(place, saved)
    return saved, ""


def _committed(place: Place, data: bytes, saved: Receipt) -> tuple[Receipt, str]:
    assert place.root is not None
    try:
        return Receipt(git_times.commit_time(place.root, place.path, data), "git"), ""
    except git_times.NoCommit as why:
        return saved, f"the time of its commit is unknown ({why}); the date of the file counts"


def _stamped(place: Place, saved: Receipt) -> tuple[Receipt, str]:
    path = place.path.parent / TIMESTAMP
    if not path.exists():
        return saved, ""
    try:
        with plain_files.opened(path) as file:
            return Receipt(with_zone(file.read(200).decode("utf-8", "replace")), "nbgrader"), ""
    except (OSError, ValueError, plain_files.RefusedError) as error:
        return saved, f"`{TIMESTAMP}` cannot be read ({error}); the date of the file counts"

"""Hand-ins that an earlier run graded under another name, as the roster did not say whose."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ...classroom.roster import abridged
from ...gradebook import moved_results, rows
from ...gradebook.moved_results import Move
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...intake.submissions import Submission

# Canvas's numbers of a file stay when it shows the names that it hid: anon_7gKqP_67890_a1.ipynb
_UPLOAD = re.compile(r"(?:LATE_)?[^/]+?_(?:\d+|[A-Za-z0-9]{5})_(\d+_[^/]+)")


def carry(
    store: Store,
    chosen: Sequence[Submission],
    found: Sequence[Submission],
    folder: Path,
    notice: Callable[[str], None],
) -> None:
    """Give each hand-in the grades and marks that the same file has under an earlier name.

    `found` is everything in `folder`: another member of a group who hands in the same file keeps
    its grade. `notice` gets a sentence for each. Raises GradebookError.
    """
    with store.connected() as connection:
        graded = rows.newest(connection, also_left=True)
    same: dict[tuple[str, str], list[Result]] = {}
    for result in graded:
        same.setdefault((result.assignment, result.submission.sha256), []).append(result)
    moves = list[Move]()
    for submission in chosen:
        there = same.get((submission.assignment, submission.sha256), [])
        owners = {s.student for s in found if s.file == submission.file}
        moves += _moves(submission, there, owners, folder)
    if moves:
        moved_results.carry(store, moves)
        told = [f"{move.new} {move.assignment} from {move.old}" for move in moves]
        notice(f"the same files under other names; grades and marks came along: {abridged(told)}")


def _moves(
    submission: Submission, same: Sequence[Result], owners: set[str], folder: Path
) -> list[Move]:
    """From the names under which the file was graded: from all that nobody has any more."""
    place = submission.file.removeprefix(str(folder)).lstrip("/\\")
    there = [r.student for r in same if _is_at(r.submission.file, place)]
    if submission.problem:
        return []
    new, id = submission.student, submission.assignment
    gone = [Move(old, new, id, shared=False) for old in there if old not in owners]
    shared = [Move(old, new, id, shared=True) for old in there if old in owners]
    return gone or (shared[:1] if new not in there else [])


def _is_at(file: str, place: str) -> bool:
    """Whether a file is at this place in a class's folder, or is the same upload to Canvas."""
    file, place = (path.replace("\\", "/") for path in (file, place))
    uploads = [_UPLOAD.fullmatch(path.rpartition("/")[2]) for path in (file, place)]
    numbers = [upload[1] for upload in uploads if upload]
    return f"/{file}".endswith(f"/{place}") or (len(numbers) == 2 and numbers[0] == numbers[1])

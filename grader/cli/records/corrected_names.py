"""Students whom a roster has anew or misspelled, and hand-ins graded under another name."""

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from ...classroom.csv_file import CsvError
from ...classroom.names import nearest
from ...classroom.roster import LEFT, Roster, Student, abridged
from ...gradebook import moved_results, rows
from ...gradebook.moved_results import Move
from ...gradebook.result import Result
from ...gradebook.store import Store
from ...intake.submissions import Submission


def newcomers(given: Roster, stored: Roster, with_work: Collection[str]) -> list[str]:
    """The students who are new in the class by a roster, each with its likely spelling.

    `with_work`: those who have results or hand-ins. Raises CsvError for a row of terms alone whose
    student nobody knows: it would only be a phantom with no points.
    """
    known = {*stored.students, *stored.left, *with_work}
    others = known - {*given.students}
    new = {id: _meant(id, others) or "" for id in given.students if id not in known}
    wrong = [
        f"--roster: nobody in the class is called {id!r}{near and f'; is it {near!r}?'} (a new "
        "student's row needs a name)"
        for id, near in new.items()
        if stored.students and _adds_nobody(given.student(id))
    ]
    if wrong:
        raise CsvError(wrong)
    told = {id: f"{id} (nearly {near})" if near else id for id, near in new.items()}
    if not stored.students:  # the first roster: everybody is new
        told = {id: text for id, text in told.items() if id != text}
    listed = [s for s in given.students.values() if s.cells and s.name != LEFT]
    back = [s.id for s in listed if s.id in stored.left]
    lists = {"new in the class": [*told.values()], "back in the class": back}
    lists["now another student's"] = _moved(given, stored)
    return [f"{what}: {abridged(names)}" for what, names in lists.items() if names]


def _moved(given: Roster, stored: Roster) -> list[str]:
    """Names in other systems that the roster gives to somebody else than before."""
    owners = [
        (f"{system} {name}", stored.called(system, name), student)
        for student in given.students.values()
        for system, name in student.names.items()
    ]
    return [
        f"{what} ({old.id} → {new.id})" for what, old, new in owners if old and old.id != new.id
    ]


def _adds_nobody(student: Student) -> bool:
    """Whether a row says only what changes for a student, or that they have left."""
    return student.name == LEFT or bool(student.terms and not student.cells)


def _meant(name: str, others: Collection[str]) -> str | None:
    """Of whose name this may be a misspelling; s13 is none of s12."""
    near = nearest(name, others)
    letters = [re.sub(r"\d", "", one) for one in (name, near or "")]
    return None if name != letters[0] and letters[0] == letters[1] else near


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

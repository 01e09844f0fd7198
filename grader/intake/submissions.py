"""Finds a class's submissions in a folder, and reads each one once.

Three layouts: nbgrader's `STUDENT/ASSIGNMENT/*.ipynb`, flat (`STUDENT.ipynb`, `STUDENT_a1.ipynb`,
`STUDENT/*.ipynb`), and a zip file per student in place of any folder. Deeper folders and A1 instead
of a1 are accepted too, and so are the names of downloads (see `download_names`). Nothing is ever
extracted to disk.

Everyone who handed in anything gets a row. If a student handed in several notebooks for an
assignment, one counts and a notice says which: the one whose path names the assignment most
clearly (by folder and file, by folder, by file, not at all), then the one in fewer folders, then
the newest.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.notebook.notebook_file import MAX_BYTES

from ..classroom.receipt import FILE, Receipt
from ..classroom.roster import NOBODY, Roster
from ..course.visible import visible, visible_name
from . import archives, class_folder, class_notices, clocks, handed_in, places, plain_files
from .class_folder import SubmissionsError
from .handed_in import HandedIn
from .places import Place
from .spool import Spool, StoredBytes

# Files by which a submission might try to change how it is graded; none of them is ever used.
IGNORED_TRICKS = frozenset(
    "conftest.py pytest.ini tox.ini setup.cfg pyproject.toml sitecustomize.py usercustomize.py "
    "numpy.py torch.py random.py gradebook.db".split()
)


@dataclass(frozen=True)
class Submission:
    """One notebook of one student, or the reason why there is none."""

    student: str
    assignment: str
    file: str  # as the instructor sees it
    notebook: bytes | StoredBytes = b""
    received: datetime.datetime | None = None
    received_from: str = ""  # the clock: see `classroom.receipt`
    problem: str = ""
    notices: list[str] = field(default_factory=list)
    beside: HandedIn = HandedIn()
    place: Place | None = None

    @property
    def data(self) -> bytes:
        """The notebook's bytes: those that were there when it was found."""
        return bytes(self.notebook)

    def files(self) -> tuple[dict[str, bytes], str]:
        """The files handed in with the notebook, by name; or none and the reason."""
        try:
            return self.beside.read(), ""
        except (handed_in.TooLarge, plain_files.RefusedError, *archives.UNREADABLE) as error:
            return {}, str(error)

    @property
    def sha256(self) -> str:
        """Covers the notebook and the files handed in with it."""
        return handed_in.digest(self.data, self.files()[0])


def find(
    folder: Path,
    assignments: Sequence[str],
    roster: Roster = NOBODY,
    notice: Callable[[str], None] = lambda text: None,
    zone: datetime.tzinfo = datetime.timezone.utc,
) -> list[Submission]:
    """Every submission below `folder`, sorted; its assignment is "" if no path names one.

    The roster says whose the downloads of learning platforms are. Once every assignment is known,
    `one_each` leaves one per student and assignment. `notice` is called with each sentence that an
    instructor should know about the folder; see `class_notices`. `zone` is that of a time
    without one. Raises SubmissionsError if
    the folder is missing, unreadable or contains no submission.
    """
    by_student: dict[str, list[Place]] = {}
    entries = class_folder.entries(folder, assignments, roster)
    for sentence in class_notices.notices(entries, roster):
        notice(visible(sentence))
    for entry in entries:
        if entry.student:
            by_student.setdefault(entry.student, []).extend(entry.places(assignments))
    if not by_student:
        raise SubmissionsError(
            f"{folder}: no notebook in it; expected STUDENT/ASSIGNMENT/*.ipynb, STUDENT.ipynb "
            "or STUDENT.zip"
        )
    spool = Spool()  # the notebooks of a large class are more than a laptop's memory should hold
    found = [_shown(s) for of in by_student.items() for s in _of_places(*of, folder, spool, zone)]
    return sorted(found, key=lambda s: (s.student, s.assignment))


def _shown(submission: Submission) -> Submission:
    """With names that are safe wherever they come to stand; `place` keeps the true ones."""
    return replace(
        submission,
        student=visible_name(submission.student),
        file=visible_name(submission.file),
        problem=visible_name(submission.problem),
        notices=[visible_name(notice) for notice in submission.notices],
    )


def one_each(found: Iterable[Submission]) -> list[Submission]:
    """One submission per student and assignment; if there were several, a notice says which."""
    groups: dict[tuple[str, str], list[Submission]] = {}
    for submission in found:
        groups.setdefault((submission.student, submission.assignment), []).append(submission)
    return [_shown(_first(sorted(group, key=_order))) for _, group in sorted(groups.items())]


def _of_places(
    student: str, found: list[Place], root: Path, spool: Spool, zone: datetime.tzinfo
) -> list[Submission]:
    """One submission for each assignment that a path names, and one for paths that name none."""
    groups: dict[str, list[Place]] = {}
    for place in sorted(found, key=lambda place: place.order):
        groups.setdefault(place.assignment, []).append(place)
    chosen = []
    for assignment, group in groups.items():
        readable = [place for place in group if not place.problem]
        if not assignment and len(readable) > 1:
            names = ", ".join(sorted(place.name for place in readable))
            why = f"no name says which assignment this is ({names}): name it, such as a1.ipynb"
            chosen.append(Submission(student, "", str(root / student), problem=why))
        else:
            chosen.append(_first([_read(student, group[0], spool, zone)], group[1:]))
    return _with_unnamed_problems_as_notices(chosen)


def _with_unnamed_problems_as_notices(chosen: list[Submission]) -> list[Submission]:
    """Turns unreadable files that name no assignment into notices of the other submissions."""
    odd = [s for s in chosen if s.problem and not s.assignment]
    rest = [s for s in chosen if s not in odd]
    notices = [f"also handed in, but not used: `{_name(s)}` {s.problem}" for s in odd]
    return [replace(s, notices=[*s.notices, *notices]) for s in rest] or chosen


def _first(group: Sequence[Submission], places_left: Sequence[Place] = ()) -> Submission:
    """The first of a group, with a notice about the others."""
    first = group[0]
    left = [(s.place, s.problem) for s in group[1:]] + [(p, p.problem) for p in places_left]
    if not left:
        return first
    names = [f"`{p.name}`{f' ({why})' if why else ''}" if p else why for p, why in left[:8]]
    more = f" and {len(left) - 8} more" if len(left) > 8 else ""
    reason = _reason(first.place, left[0][0])
    notice = (
        f"handed in more than once: `{_name(first)}` counts, {reason}; "
        f"ignored: {', '.join(names)}{more}"
    )
    return replace(first, notices=[*first.notices, notice])


def _reason(first: Place | None, second: Place | None) -> str:
    """Why the first of two counts: the first field in which their orders differ."""
    if first is None or second is None:
        return "because it can be read"
    reasons = (
        "because it can be read",
        "because its path names the assignment most clearly",
        "because it is in fewer folders",
        "because it is the newest",
        "by its name, because all are equally new",
    )
    pairs = zip(first.order, second.order, strict=True)
    return next((why for why, (a, b) in zip(reasons, pairs, strict=True) if a != b), reasons[-1])


def _order(submission: Submission) -> tuple[bool, tuple[bool, int, int, float, str]]:
    last = (True, 4, 0, 0.0, "")
    return bool(submission.problem), submission.place.order if submission.place else last


def _name(submission: Submission) -> str:
    return submission.place.name if submission.place else submission.file


def _read(student: str, place: Place, spool: Spool, zone: datetime.tzinfo) -> Submission:
    """Read a notebook's bytes once, so that what is hashed is what is graded."""
    shown = f"{place.path}:{place.entry}" if place.entry else str(place.path)
    empty = Submission(student, place.assignment, shown, place=place)
    if place.problem:
        return replace(empty, problem=place.problem)
    try:
        data, seconds = _bytes(place)
    except plain_files.RefusedError as error:
        return replace(empty, problem=str(error))
    except OSError as error:
        return replace(empty, problem=f"cannot be read ({error.strerror})")
    saved = Receipt(datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc), FILE)
    receipt, notice = clocks.receipt(place, data, saved, zone)
    return replace(
        empty,
        notebook=spool.keep(data),
        received=receipt.time,
        received_from=receipt.clock,
        notices=[*_notices(place), *filter(None, [notice])],
        beside=_beside(place),
    )


def _bytes(place: Place) -> tuple[bytes, float]:
    if place.entry:
        return archives.read(place.path, place.entry), place.saved
    with plain_files.opened(place.path) as file:
        facts = os.fstat(file.fileno())
        if facts.st_size > MAX_BYTES:
            raise plain_files.RefusedError(
                f"the file has {plain_files.size_text(facts.st_size, MAX_BYTES)}: "
                "clear the outputs (Kernel, Restart & Clear Output) and submit again"
            )
        return file.read(MAX_BYTES + 1), facts.st_mtime


def _beside(place: Place) -> HandedIn:
    """The files handed in with the notebook; see `_folders`."""
    if place.entry:
        names = [entry.filename for entry in archives.entries(place.path)[0]]
        return handed_in.inside(place.path, names, place.entry)
    return handed_in.beside(*_folders(place))


def _folders(place: Place) -> list[Path]:
    """The notebook's folder and, if it is in an unusual one, those above up to the student's."""
    if "/" not in place.name:
        return []
    above = [place.path.parent, *place.path.parent.parents]
    return above[:1] if place.usual else above[: place.depth + 1]


def _notices(place: Place) -> list[str]:
    if place.entry:
        found = archives.entries(place.path)[0]
        names = {plain_files.in_zip(entry.filename).name for entry in found}
    else:
        names = {path.name for folder in _folders(place)[:1] for path in places.walk(folder)[0]}
    notices = [f"`{n}` was also submitted; it is not used" for n in sorted(names & IGNORED_TRICKS)]
    for folder in _folders(place):
        notices += [f"`{name}` {why}; it is not used" for name, why in handed_in.refused(folder)]
    if not place.usual:
        id = place.assignment or "a1"
        notices.append(
            f"the notebook was found in `{place.name}` and is graded from there; "
            f"it belongs in {id}/{id}.ipynb"
        )
    return notices

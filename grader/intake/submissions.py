"""Finds a class's submissions in a folder, and reads each one once.

Three layouts: nbgrader's `STUDENT/ASSIGNMENT/*.ipynb`, flat (`STUDENT.ipynb`, `STUDENT_a1.ipynb`,
`STUDENT/*.ipynb`), and a zip file per student in place of any folder. Deeper folders and A1 instead
of a1 are accepted too, and so are the names of downloads (see `download_names`). Nothing is ever
extracted to disk.

Everyone who handed in anything gets a row. If a student handed in several notebooks for an
assignment, one counts and a notice says which; see `choice`. A file is a notebook by its name or by
its content, so that one that was saved as `a1.ipynb.txt` counts.
"""

import datetime
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.notebook import notebook_file
from grader.notebook.notebook_file import MAX_FILE

from ..classroom.receipt import FILE, Receipt
from ..classroom.roster import NOBODY, Roster
from ..course.visible import visible, visible_name
from . import (
    archives,
    choice,
    class_folder,
    class_notices,
    clocks,
    handed_in,
    nearby_files,
    plain_files,
)
from .class_folder import SubmissionsError
from .handed_in import HandedIn
from .notebook_paths import Place
from .plain_files import Spool, StoredBytes


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
    over: Place | None = None  # the next of several notebooks, over which it counts

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
    is_begun: choice.Begun = choice.unknown,
) -> list[Submission]:
    """Every submission below `folder`, sorted; its assignment is "" if no path names one.

    The roster says whose the downloads of learning platforms are. Once every assignment is known,
    `one_each` leaves one per student and assignment. `notice` is called with each sentence that an
    instructor should know about the folder; see `class_notices`. `zone` is that of a time without
    one. `is_begun` says whether anything of an assignment is written in cells: where nothing is,
    another notebook counts. Raises SubmissionsError if the folder is missing, unreadable or
    contains no submission.
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
    found = [
        _shown(submission)
        for of in by_student.items()
        for submission in _of_places(*of, folder, spool, zone, is_begun)
    ]
    return sorted(found, key=lambda s: (s.student, s.assignment))


def _shown(submission: Submission) -> Submission:
    """With names that are safe everywhere; `place` keeps the true ones."""
    return replace(
        submission,
        student=visible_name(submission.student),
        file=visible_name(submission.file),
        problem=visible_name(submission.problem),
        notices=[visible_name(notice) for notice in submission.notices],
    )


def one_each(
    found: Iterable[Submission], is_begun: choice.Begun = choice.unknown
) -> list[Submission]:
    """One submission per student and assignment; if there were several, a notice says which."""
    groups: dict[tuple[str, str], list[Submission]] = {}
    for submission in found:
        groups.setdefault((submission.student, submission.assignment), []).append(submission)
    return [_first(group, is_begun) for _, group in sorted(groups.items())]


def _first(group: list[Submission], is_begun: choice.Begun) -> Submission:
    """The one that counts of several that came to be of one assignment."""
    if len(group) == 1:
        return group[0]
    placed = []
    for one in group:
        place = replace(_place(one), problem=one.problem)
        if not one.problem:
            place = choice.looked_at(place, one.assignment, one.data, is_begun)
        placed.append((place, one))
    placed.sort(key=lambda pair: pair[0].order)
    first, left = placed[0][1], [place for place, _ in placed]
    return _shown(_counted(replace(first, place=left[0]), left[1:]))


def _counted(first: Submission, left: Sequence[Place]) -> Submission:
    """The one that counts, with a notice about the others."""
    if not left:
        return first
    told = choice.notice(_place(first), left)
    return replace(first, notices=[*first.notices, told], over=first.over or left[0])


def _of_places(
    student: str,
    found: list[Place],
    root: Path,
    spool: Spool,
    zone: datetime.tzinfo,
    is_begun: choice.Begun,
) -> list[Submission]:
    """One submission for each assignment that a path names, and one for paths that name none."""
    groups: dict[str, list[Place]] = {}
    for place in sorted(found, key=lambda place: place.order):
        groups.setdefault(place.assignment, []).append(place)
    chosen = []
    for assignment, group in groups.items():
        ranked = _ranked(group, is_begun if assignment else choice.has_text)
        possible = [place for place in ranked if not (place.problem or place.empty)]
        if not assignment and len(possible) > 1:
            names = ", ".join(sorted(place.name for place in possible))
            why = f"no name says which assignment this is ({names}): name it, such as a1.ipynb"
            ranked = [Place(student, root / student, "", 3, 0, problem=why)]
        chosen.append(_counted(_read(student, ranked[0], spool, zone), ranked[1:]))
    return _with_unnamed_problems_as_notices(chosen)


def _place(submission: Submission) -> Place:
    file = submission.file
    return submission.place or Place(file, Path(file), submission.assignment, 3, 0)


def _ranked(group: list[Place], is_begun: choice.Begun) -> list[Place]:
    """The places of one assignment, the one that counts first."""
    if len(group) == 1:
        return group
    looked = [_looked_at(place, is_begun) for place in group[: choice.LOOKED_AT]]
    return sorted([*looked, *group[choice.LOOKED_AT :]], key=lambda place: place.order)


def _looked_at(place: Place, is_begun: choice.Begun) -> Place:
    if place.problem:
        return place
    try:
        return choice.looked_at(place, place.assignment, _bytes(place)[0], is_begun)
    except plain_files.RefusedError as error:
        return replace(place, problem=str(error))
    except OSError as error:
        return replace(place, problem=f"cannot be read ({error.strerror})")


def _with_unnamed_problems_as_notices(chosen: list[Submission]) -> list[Submission]:
    """Turns unreadable files that name no assignment into notices of the other submissions."""
    odd = [s for s in chosen if s.problem and not s.assignment]
    rest = [s for s in chosen if s not in odd]
    notices = [f"also handed in, but not used: `{_place(s).name}` {s.problem}" for s in odd]
    return [replace(s, notices=[*s.notices, *notices]) for s in rest] or chosen


def _read(student: str, place: Place, spool: Spool, zone: datetime.tzinfo) -> Submission:
    """Read a notebook's bytes once, so that the hash is that of the graded file."""
    shown = f"{place.path}:{place.entry}" if place.entry else str(place.path)
    empty = Submission(student, place.assignment, shown, place=place)
    if place.problem:
        return replace(empty, problem=place.problem)
    try:
        data, seconds = _bytes(place)
        kept = notebook_file.within_limits(data)
    except (plain_files.RefusedError, notebook_file.InvalidNotebook) as error:
        return replace(empty, problem=str(error))
    except OSError as error:
        return replace(empty, problem=f"cannot be read ({error.strerror})")
    saved = Receipt(datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc), FILE)
    receipt, notice = clocks.receipt(place, data, saved, zone)
    return replace(
        empty,
        notebook=spool.keep(kept),
        received=receipt.time,
        received_from=receipt.clock,
        notices=[*nearby_files.notices(place), *filter(None, [notice])],
        beside=nearby_files.files(place),
    )


def _bytes(place: Place) -> tuple[bytes, float]:
    if place.entry:
        return archives.read(place.path, place.entry)
    with plain_files.opened(place.path) as file:
        facts = os.fstat(file.fileno())
        if facts.st_size > MAX_FILE:
            raise plain_files.RefusedError(
                f"the file has {plain_files.size_text(facts.st_size, MAX_FILE)}: "
                "clear the outputs (Kernel, Restart & Clear Output) and submit again"
            )
        return file.read(MAX_FILE + 1), facts.st_mtime

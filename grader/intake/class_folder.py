"""The entries of a class's folder: whose each is, and the notebooks in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.notebook import other_files

from ..classroom.receipt import Receipt
from ..classroom.roster import Roster, abridged
from ..course.problem import Problem
from . import download_names, gradescope, places, plain_files
from .download_names import Download
from .places import NOTEBOOK, Place

PACKED = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")  # hand-ins that are not supported
NAMED = 5  # how many downloads a message names


class SubmissionsError(Problem):
    """Nothing can be graded; says what was given and what to do."""


@dataclass(frozen=True)
class Entry:
    """One file or folder. `student` is "" if it is no submission."""

    path: Path
    student: str
    download: Download | None = None  # what its name says, if a platform gave it
    known: bool = True  # false for a download whose student the roster does not have
    received: Receipt | None = None

    @property
    def is_folder(self) -> bool:
        return self.path.is_dir() and not self.path.is_symlink()

    def places(self, ids: Sequence[str]) -> list[Place]:
        """The notebooks in it, or what it contains instead."""
        # what is in a download, a student put there: neither commits nor timestamps count
        root = self.path if self.is_folder and self.download is None else None
        on_time = self.download is not None and self.download.on_time
        return [
            replace(place, root=root, stated=self.received, on_time=on_time)
            for place in self._places(ids)
        ]

    def _places(self, ids: Sequence[str]) -> list[Place]:
        path = self.path
        if self.is_folder:
            return places.below(path, path.name, ids)
        file, attempt = (
            self.download.uploaded if self.download else (_without_student(path, ids), 0)
        )
        if places.is_handed_in(path):
            found = places.of_file(path.name, path, [], ids, file)
            return [replace(place, attempt=attempt) for place in found]
        assignment = places.split_name(plain_files.stem(file), ids)[1]
        why = "is not a notebook: submit an .ipynb, or a .zip that contains it"
        return [
            Place(path.name, path, assignment, 3, 0, file, problem=places.what_it_is(path) or why)
        ]


def entries(folder: Path, ids: Sequence[str], roster: Roster) -> list[Entry]:
    """Every entry, sorted by name. Raises SubmissionsError."""
    if not folder.exists():
        raise SubmissionsError(f"{folder}: there is no such folder; give that of the submissions")
    if not folder.is_dir():
        raise SubmissionsError(f"{folder}: is a file; give the folder that holds the submissions")
    try:
        paths = sorted(p for p in folder.iterdir() if not p.name.startswith("."))
        listed = gradescope.read(folder)
    except OSError as error:
        raise SubmissionsError(f"{folder}: cannot be read ({error.strerror})") from None
    except gradescope.ExportError as error:
        raise SubmissionsError(str(error)) from None
    paths = [path for path in paths if path.name != gradescope.FILE]
    for path in paths:
        _refuse_an_assignment(path, ids)
    return [entry for path in paths for entry in _entries(path, ids, roster, listed)]


def _refuse_an_assignment(path: Path, ids: Sequence[str]) -> None:
    """Raises SubmissionsError for a name that is an assignment's, where a student's belongs."""
    name = path.name if path.is_dir() else plain_files.stem(path.name)
    if name.lower() not in ids or not _own_name(path, ids):
        return
    alone = not path.is_dir() or any(f.stem.lower() in ids for f in path.glob(f"*{NOTEBOOK}"))
    wanted = path.parent.resolve().parent if alone else path
    raise SubmissionsError(f"{path.name} is an assignment, not a student: give {wanted}")


def _entries(
    path: Path,
    ids: Sequence[str],
    roster: Roster,
    listed: dict[str, tuple[list[Download], Receipt | None]],
) -> list[Entry]:
    """The entry of a path; of a group's, one for each member whom the roster has."""
    entry = Entry(path, _own_name(path, ids))
    if not entry.student:
        return [entry]
    download = download_names.recognized(path.name, entry.is_folder)
    if download is None:
        name = entry.student
        student = download_names.by_other_name(name, ids, roster)
        return [replace(entry, student=student.id if student else name)]
    submitters, received = listed.get(path.name, ([], None))
    members: dict[str, tuple[Download, bool]] = {}
    for one in submitters or [download]:
        student = one.student(roster)
        members.setdefault(student.id if student else entry.student, (one, student is not None))
    return [
        replace(entry, student=id, download=one, known=known, received=received)
        for id, (one, known) in members.items()
    ]


def _own_name(path: Path, ids: Sequence[str]) -> str:
    """The student by the name of the entry alone; "" if it is not a submission."""
    if path.is_dir() and not path.is_symlink():
        return path.name
    student, assignment = places.split_name(plain_files.stem(path.name), ids)
    if assignment or path.suffix.lower() in PACKED or path.is_symlink():
        return student
    meant = other_files.is_meant(path.name) or download_names.is_upload(path.name)
    return student if meant or places.is_handed_in(path) else ""


def _without_student(path: Path, ids: Sequence[str]) -> str:
    """What a file would be called in the student's own folder: "ada_a1.ipynb" → "a1.ipynb"."""
    stem = plain_files.stem(path.name)
    id = places.split_name(stem, ids)[1]
    return (id + places.copied(stem) if id else stem) + path.name[len(stem) :]


def notices(found: Sequence[Entry]) -> list[str]:
    """What an instructor should know: files left out, students not found, late marks."""
    sentences = [
        f"{entry.path.name}: skipped, as its name is not that of a submission"
        for entry in found
        if not entry.student
    ]
    for system in sorted({e.download.system for e in found if e.download and not e.known}):
        mine = [e for e in found if e.download and e.download.system == system and not e.known]
        sentences.append(_unknown(system, mine))
    late = [entry.path.name for entry in found if entry.download and entry.download.late]
    if late:
        sentences.append(
            f"Canvas marks {abridged(late, NAMED)} as late, but says no time: the date of the file "
            "counts, unless you give the times with --received"
        )
    return sentences


def _unknown(system: str, unknown: list[Entry]) -> str:
    """Which downloads belong to nobody, and what the roster should say."""
    first = unknown[0].download
    assert first is not None
    wanted = " or ".join(repr(id) for id in dict.fromkeys([*first.ids, first.name]) if id)
    names, own = abridged([entry.path.name for entry in unknown], NAMED), "their own names"
    own, of_first = ("its own name", "") if len(unknown) == 1 else (own, " for the first")
    return (
        f"{names}: no student of the roster, so graded under {own}; in the column {system} of "
        f"--roster write {wanted}{of_first}"
    )

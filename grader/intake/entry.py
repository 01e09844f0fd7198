"""One file or folder of a class: whose it is, the notebooks in it, and what is kept apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from ..classroom.receipt import Receipt
from ..classroom.roster import Roster
from . import notebook_paths, plain_files
from .download_names import Download
from .notebook_paths import Place

REQUEST = "it is a regrade request"


@dataclass(frozen=True)
class Entry:
    """One file or folder. `student` is "" if it is no submission; `skipped` says why."""

    path: Path
    student: str
    own: str = ""  # the student by the name of the entry alone
    download: Download | None = None  # what its name says, if a platform gave it
    known: bool = True  # false for a download whose student the roster does not have
    received: Receipt | None = None
    by_name: bool = False  # whether the name alone says whose it is
    group: bool = False  # whether it is that of several students
    is_class: bool = False  # whether it looks like the folder of several students
    claimed: str = ""  # the student who would get it, and another one of the same name too
    skipped: str = "its name is not that of a submission"

    @property
    def is_folder(self) -> bool:
        return self.path.is_dir() and not self.path.is_symlink()

    def places(self, ids: Sequence[str]) -> list[Place]:
        """The notebooks in it, or what it contains instead."""
        # what is in a download, a student put there: neither commits nor timestamps count
        own = self.download is None or self.download.system == "github"
        root = self.path if self.is_folder and own else None
        late = self.download.late if self.download else None
        return [
            replace(place, root=root, stated=self.received, late=late)
            for place in self._places(ids)
        ]

    def _places(self, ids: Sequence[str]) -> list[Place]:
        path = self.path
        if self.is_folder:
            return notebook_paths.below(path, path.name, ids)
        file, attempt = self.download.uploaded if self.download else (_alone(path, ids), 0)
        if notebook_paths.is_handed_in(path):
            found = notebook_paths.of_file(path.name, path, [], ids, file)
            return [replace(place, attempt=attempt) for place in found]
        assignment = notebook_paths.split_name(plain_files.stem(file), ids)[1]
        why = "is not a notebook: submit an .ipynb, or a .zip that contains it"
        why = notebook_paths.what_it_is(path) or why
        return [Place(path.name, path, assignment, 3, 0, file, problem=why)]


def _alone(path: Path, ids: Sequence[str]) -> str:
    """The name of a file in the student's own folder: "ada_a1.ipynb" → "a1.ipynb"."""
    stem = plain_files.stem(path.name)
    id = notebook_paths.split_name(stem, ids)[1]
    return (id + notebook_paths.copied(stem) if id else stem) + path.name[len(stem) :]


def separate(found: Sequence[Entry], ids: Sequence[str], roster: Roster) -> list[Entry]:
    """The entries, of which each student has those of one number in a platform.

    It is the number in the roster. If that has none of them, nobody can tell whose they are: they
    go under their own names. Moodle's numbers are of one assignment.
    """
    claims: dict[tuple[str, str], list[Entry]] = {}
    for entry in found:
        if entry.download and entry.known and not entry.group:
            claims.setdefault((entry.student, entry.download.system), []).append(entry)
    contested = {
        id(entry)
        for (student, system), entries in claims.items()
        if _differ(entries, ids)
        for entry in entries
        if _number(entry) != roster.student(student).names.get(system, "").casefold()
    }
    found = [
        replace(e, student=e.own, known=False, by_name=False, claimed=e.student)
        if id(e) in contested
        else e
        for e in found
    ]
    return _together(found)


def _differ(entries: Sequence[Entry], ids: Sequence[str]) -> bool:
    """Whether two of a student's entries have different numbers for one assignment."""
    if len({_number(entry) for entry in entries}) < 2:
        return False
    named = [(_number(entry), {p.assignment for p in entry.places(ids)}) for entry in entries]
    return any(
        number != other and (of & others or "" in of | others)
        for (number, of), (other, others) in combinations(named, 2)
    )


def _number(entry: Entry) -> str:
    return entry.download.number.casefold() if entry.download else ""


def _together(found: Sequence[Entry]) -> list[Entry]:
    """The entries; those of one stranger, such as files and an online text, under one name."""
    strange = [(entry.download, entry) for entry in found if entry.download and not entry.known]
    strange.sort(key=lambda pair: pair[0].is_text)
    names: dict[tuple[str, ...], str] = {}
    for download, entry in strange:
        names.setdefault(download.account, entry.student)
    return [
        replace(e, student=names[e.download.account]) if e.download and not e.known else e
        for e in found
    ]

"""The entries of a class's folder: whose each is, and the notebooks in it."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from grader.notebook import other_files

from ..classroom.receipt import Receipt
from ..classroom.roster import Roster
from ..course.problem import Problem
from . import class_notices, download_names, gradescope, notebook_paths, plain_files
from .download_names import Download
from .entry import REQUEST, Entry, separate
from .notebook_paths import NOTEBOOK

PACKED = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")  # hand-ins that are not supported


class SubmissionsError(Problem):
    """Nothing can be graded; says what was given and what to do."""


def entries(folder: Path, ids: Sequence[str], roster: Roster) -> list[Entry]:
    """Every entry, sorted by name. Raises SubmissionsError."""
    roster = roster.ever
    if not folder.exists():
        raise SubmissionsError(f"{folder}: there is no such folder; give that of the submissions")
    if not folder.is_dir():
        raise SubmissionsError(f"{folder}: is a file; give the folder with the submissions")
    try:
        paths = sorted(p for p in folder.iterdir() if not plain_files.hidden(PurePosixPath(p.name)))
        listed = gradescope.read(folder)
    except OSError as error:
        raise SubmissionsError(f"{folder}: cannot be read ({error.strerror})") from None
    except gradescope.ExportError as error:
        raise SubmissionsError(str(error)) from None
    paths = [path for path in paths if path.name != gradescope.FILE]
    for path in paths:
        _refuse_an_assignment(path, ids, roster)
    slugs = _slugs([path for path in paths if path.is_dir() and path.name not in roster], roster)
    found = [entry for path in paths for entry in _entries(path, ids, roster, listed, slugs)]
    return separate(_without_classes(found, ids, roster), ids, roster)


def _slugs(folders: Sequence[Path], roster: Roster) -> list[str]:
    """How repositories begin here, if there are some: clones, or logins that the roster has."""
    names = [folder.name for folder in folders]
    found = []
    for slug in download_names.slugs(names):
        known = sum(roster.called("github", name[len(slug) :]) is not None for name in names)
        if known > 1 or any(os.path.lexists(folder / ".git") for folder in folders):
            found.append(slug)
    return found


def _without_classes(found: Sequence[Entry], ids: Sequence[str], roster: Roster) -> list[Entry]:
    """The entries, zips of a class skipped. Raises SubmissionsError if there is nothing else."""
    beside = {entry.path.name for entry in found}
    kept, classes = list[Entry](), list[str]()
    for entry in found:
        own = entry.student in roster or entry.download or not entry.student
        if not own and entry.is_folder and class_notices.is_class(entry.path, ids, roster):
            classes.append(str(entry.path))
            entry = replace(entry, is_class=True)
        elif not own and class_notices.is_platforms_zip(entry.path, beside, roster):
            entry = replace(entry, student="", skipped="it is the download of a whole class")
        kept.append(entry)
    zips = [e for e in kept if not e.student and e.skipped not in (Entry.skipped, REQUEST)]
    if classes and len(classes) == sum(bool(entry.student) for entry in kept):
        more = "" if len(classes) == 1 else ", or another of them"
        raise SubmissionsError(
            f"{classes[0]} looks like a class, not a student: give that folder{more}"
        )
    if zips and not any(entry.student for entry in kept):
        raise SubmissionsError(f"{zips[0].path} is the download of a whole class: unpack it first")
    return kept


def _refuse_an_assignment(path: Path, ids: Sequence[str], roster: Roster) -> None:
    """Raises SubmissionsError for a name that is an assignment's, where a student's belongs."""
    name = path.name if path.is_dir() else plain_files.stem(path.name)
    if name.lower() not in ids or not _own_name(path, ids, roster):
        return
    alone = not path.is_dir() or any(f.stem.lower() in ids for f in path.glob(f"*{NOTEBOOK}"))
    wanted = path.parent.resolve().parent if alone else path
    raise SubmissionsError(f"{path.name} is an assignment, not a student: give {wanted}")


def _entries(
    path: Path,
    ids: Sequence[str],
    roster: Roster,
    listed: dict[str, tuple[list[Download], Receipt | None]],
    slugs: Sequence[str],
) -> list[Entry]:
    """The entry of a path; of a group's, one for each member whom the roster has."""
    own = _own_name(path, ids, roster)
    entry = Entry(path, own, own)
    if not entry.student:
        return [entry]
    if notebook_paths.asks_only(path):
        return [replace(entry, student="", skipped=REQUEST)]
    download = download_names.recognized(path.name, entry.is_folder, roster)
    if download is None:
        return [_named(entry, ids, roster, slugs)]
    submitters, received = listed.get(path.name, ([], None))
    entry = replace(entry, received=received)
    members: dict[str, Entry] = {}
    for one in submitters or [download]:
        for id, by_name in one.students(roster).items():
            members.setdefault(id, replace(entry, student=id, download=one, by_name=by_name))
        if not one.students(roster):
            members.setdefault(entry.student, replace(entry, download=one, known=False))
    return [replace(one, group=len(members) > 1) for one in members.values()]


def _named(entry: Entry, ids: Sequence[str], roster: Roster, slugs: Sequence[str]) -> Entry:
    """The entry of a student's own folder or file, or of a repository."""
    if student := download_names.by_other_name(entry.student, ids, roster):
        return replace(entry, student=student.id)
    logins = download_names.logins(entry.student, ids, slugs) if entry.is_folder else []
    for login in logins:
        if student := roster.called("github", login):
            return replace(entry, student=student.id)
    for login in logins:
        student = download_names.by_number(login, roster)
        if student and login != entry.student:
            return replace(entry, student=student.id, by_name=True)
    if roster.students and logins and os.path.lexists(entry.path / ".git"):
        login = logins[0] if logins[-1] == entry.student else logins[-1]
        return replace(entry, download=Download("github", (login,)), known=False)
    return entry


def _own_name(path: Path, ids: Sequence[str], roster: Roster) -> str:
    """The student by the name of the entry alone; "" if it is not a submission."""
    if path.is_dir() and not path.is_symlink():
        return path.name
    student, assignment = notebook_paths.split_name(plain_files.stem(path.name), ids)
    if assignment or path.suffix.lower() in PACKED or path.is_symlink():
        return student
    meant = other_files.is_meant(path.name) or download_names.is_upload(path.name, roster)
    return student if meant or notebook_paths.is_handed_in(path) else ""

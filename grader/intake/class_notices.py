"""Notices about a class's folder: files left out, downloads of nobody, a folder too high."""

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath

from ..classroom.roster import Roster, abridged
from . import archives, download_names, gradescope, plain_files
from .download_names import Download
from .entry import REQUEST, Entry
from .notebook_paths import ARCHIVE, split_name

MEMBERS = 2  # so many students make a class
_NUMBERED = ("canvas", "moodle")  # the systems whose names no student would give


def is_class(folder: Path, ids: Sequence[str], roster: Roster) -> bool:
    """Whether a folder contains the folders or downloads of several students."""
    try:
        inside = [p for p in folder.iterdir() if not plain_files.hidden(PurePosixPath(p.name))]
    except OSError:
        return False  # is said where its files are listed
    if any(path.name == gradescope.FILE for path in inside):
        return True
    collected = "submission" in folder.name.lower() or bool(split_name(folder.name, ids)[1])
    found = {_owner(path, ids, roster, collected) for path in inside}
    return len(found - {""}) >= MEMBERS


def _owner(path: Path, ids: Sequence[str], roster: Roster, collected: bool) -> str:
    """The student whose name this is; "" for what a student may call a file or folder.

    `collected`: the name of the folder around it is that of a class, so `a1-ada` in it is ada's.
    """
    is_folder = os.path.isdir(path)
    download = download_names.recognized(path.name, is_folder, roster)
    if download and download.system in _NUMBERED:
        return download.number
    name = path.name if is_folder else path.stem
    if student := download_names.by_other_name(name, ids, roster):
        return student.id
    owner, assignment = split_name(name, ids)
    named = collected and assignment and owner.lower() != assignment
    return owner if is_folder and (named or os.path.lexists(path / ".git")) else ""


def is_platforms_zip(path: Path, beside: Collection[str], roster: Roster) -> bool:
    """Whether a zip file is the download of a class, perhaps one that was unpacked here."""
    if path.suffix.lower() != ARCHIVE:
        return False
    names = archives.names(path)
    tops = {name.parts[0] for name in names}
    there = [(part, part != name.name) for name in names for part in name.parts[:2]]
    found = [download_names.recognized(part, is_folder, roster) for part, is_folder in there]
    owners = {download.number for download in found if download and download.system in _NUMBERED}
    if any(name.name == gradescope.FILE for name in names) or len(owners) >= MEMBERS:
        return True
    return bool(tops) and tops <= {*beside} and (len(tops) >= MEMBERS or bool(owners))


NAMED = 5  # how many downloads a message names


def notices(found: Sequence[Entry], roster: Roster) -> list[str]:
    """A sentence for each kind of thing that was found, the most harmless first."""
    left_out = [e for e in found if not e.student]
    skipped = [f"{e.path.name}: skipped, as {e.skipped}" for e in left_out if e.skipped != REQUEST]
    classes = [
        f"{e.path} looks like a class, not a student: give it alone" for e in found if e.is_class
    ]
    return [
        *skipped,
        *_requests(left_out),
        *classes,
        *_by_name(found),
        *_unlike(found, roster),
        *_contested(found),
        *_namesakes(found, roster),
        *_unknown(found, roster),
        *_anonymous(found),
        *_late(found),
    ]


def _requests(left_out: Sequence[Entry]) -> Iterator[str]:
    names = [e.path.name for e in left_out if e.skipped == REQUEST]
    if names:
        yield (
            f"regrade requests, so not graded: {abridged(names, NAMED)}; "
            "`course regrade-requests` collects them"
        )


def _by_name(found: Sequence[Entry]) -> Iterator[str]:
    unsure = [e for e in found if e.by_name]
    if unsure:
        systems = sorted({e.download.system if e.download else "github" for e in unsure})
        told = abridged([f"{e.student} ({e.path.name})" for e in unsure], NAMED)
        yield (
            f"matched by name alone: {told}; if one is wrong, write the right number or login in "
            f"the column {' or '.join(systems)} of --roster"
        )


def _unlike(found: Sequence[Entry], roster: Roster) -> Iterator[str]:
    """Downloads with a student's number and another name: a group's, perhaps."""
    odd = [
        (e.download.name, e)
        for e in found
        if e.download and e.known and not (e.by_name or e.group or _is_named(e, e.download, roster))
    ]
    if odd:
        told = abridged([f"{e.path.name} is {e.student}'s" for _, e in odd], NAMED)
        yield (
            f"by the number, but under another name: {told}; if it is a group's, write "
            f"{odd[0][0]!r} in the column group of --roster for each member"
        )


def _is_named(entry: Entry, download: Download, roster: Roster) -> bool:
    student = roster.student(entry.student)
    own = student.names.get(download.system, "").casefold() == download.name.casefold()
    return download.system != "canvas" or own or not download.misnamed(student)


def _contested(found: Sequence[Entry]) -> Iterator[str]:
    for student in sorted({e.claimed for e in found if e.claimed}):
        mine = [(e.download, e) for e in found if e.download and e.claimed == student]
        names = abridged([e.path.name for _, e in mine], NAMED)
        numbers = " or ".join(dict.fromkeys(repr(download.number) for download, _ in mine))
        column = f"write {numbers} in the column {mine[0][0].system} of --roster"
        if len(mine) == 1:
            yield (
                f"{names}: the name of {student}, but not the number, so graded under its own "
                f"name; for whoever it is, {column}"
            )
        else:
            yield (
                f"{names}: all have the name of {student}, but different numbers, so graded under "
                f"their own names; for whoever it is, {column}"
            )


def _strange(found: Sequence[Entry]) -> list[tuple[Download, Entry]]:
    """Downloads that belong to nobody."""
    return [
        (e.download, e)
        for e in found
        if e.download and not (e.known or e.claimed or e.download.anonymous)
    ]


def _namesakes(found: Sequence[Entry], roster: Roster) -> Iterator[str]:
    """Downloads with a name that several students have."""
    by_name: dict[tuple[str, str], list[tuple[Download, Entry]]] = {}
    for download, entry in _strange(found):
        by_name.setdefault((download.system, download.name), []).append((download, entry))
    for (system, name), mine in by_name.items():
        students = [student.id for student in roster.namesakes(name)]
        if len(students) > 1:
            names = abridged([e.path.name for _, e in mine], NAMED)
            numbers = " or ".join(dict.fromkeys(repr(download.number) for download, _ in mine))
            yield (
                f"{names}: {' and '.join(students)} have this name, so not matched; for whoever it "
                f"is, write {numbers} in the column {system} of --roster"
            )


def _unknown(found: Sequence[Entry], roster: Roster) -> Iterator[str]:
    """Which downloads belong to nobody, and what the roster should say."""
    strange = [
        (download, entry)
        for download, entry in _strange(found)
        if len(roster.namesakes(download.name)) < 2
    ]
    for system in sorted({download.system for download, _ in strange}):
        mine = [(download, e) for download, e in strange if download.system == system]
        first = mine[0][0]
        names = abridged([e.path.name for _, e in mine], NAMED)
        own, of_first = (
            ("its own name", "") if len(mine) == 1 else ("their own names", " for the first")
        )
        wanted = " or ".join(repr(id) for id in _offered(first, found))
        column = system if first.number != first.name else "group"
        yield (
            f"{names}: no student of the roster, so graded under {own}; in the column {column} of "
            f"--roster write {wanted}{of_first}"
        )


def _offered(download: Download, found: Sequence[Entry]) -> list[str]:
    """Suggested cells for the roster: the number, and the name if no other download has it."""
    same = {e.download.number for e in found if e.download and e.download.name == download.name}
    ids = dict.fromkeys(id for id in (*download.ids, download.name) if id)
    return [id for id in ids if id != download.name or len(same) == 1 or len(ids) == 1]


def _anonymous(found: Sequence[Entry]) -> Iterator[str]:
    names = [e.path.name for e in found if e.download and e.download.anonymous and not e.known]
    if names:
        yield (
            f"{abridged(names, NAMED)}: Canvas hid the names, so grades go by these; `course "
            "feedback --zip canvas` works with them; once Canvas shows the names, download again"
        )


def _late(found: Sequence[Entry]) -> Iterator[str]:
    late = [e.path.name for e in found if e.download and e.download.late]
    late = [*dict.fromkeys(late)]  # a group's is once for each member
    if late:
        yield (
            f"Canvas marks {abridged(late, NAMED)} as late, but says no time: at least one day, "
            "more by the date of the file; to change it give the times with --received"
        )

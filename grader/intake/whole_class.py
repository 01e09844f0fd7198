"""Tells what is not one student's but a class: a folder too high, a platform's own zip."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

from ..classroom.roster import Roster
from . import archives, download_names, gradescope, plain_files
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

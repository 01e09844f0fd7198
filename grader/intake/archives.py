"""Reads submitted zip files in memory; a path inside one is never used as a path on disk."""

import contextlib
import datetime
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from grader.notebook import other_files
from grader.notebook.notebook_file import MAX_FILE

from ..course.exercise import LARGEST
from . import plain_files
from .plain_files import RefusedError, size_text

NOTEBOOK = ".ipynb"
MAX_ENTRIES = 1_000
MAX_NAMES = 50_000  # a platform's zip holds those of a whole class
_QUICK = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # their beginning is read in little memory
_ENTRY = b"PK\1\2"  # what the description of an entry begins with
MAX_ZIP_BYTES = MAX_FILE + LARGEST  # of what is in it, each part has a limit of its own
# what Python raises for a damaged, encrypted or malicious archive
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    RuntimeError,
    EOFError,
    ValueError,
    MemoryError,
    struct.error,
)


class Entry(NamedTuple):
    """A file in a zip file."""

    name: str
    is_notebook: bool  # by its name or its content
    saved: float  # by the clock of whoever packed it; 0 if it has no such date


def entries(path: Path) -> list[Entry]:
    """The files in a zip file. Raises RefusedError."""
    with _opened(path) as (archive, _):
        if not all(entry.filename for entry in archive.infolist()):
            raise RefusedError("the zip file contains a file without a name")  # is_dir() would fail
        found = [entry for entry in archive.infolist() if not entry.is_dir()]
        if problem := _problem(found):
            raise RefusedError(problem)
        return [Entry(e.filename, _is_notebook(archive, e), _saved(e)) for e in found]


def names(path: Path) -> list[PurePosixPath]:
    """The files in a zip file of any size, by name; none if it cannot be read."""
    try:
        with plain_files.opened(path) as file:
            if _described(file) > MAX_NAMES:
                return []
            with zipfile.ZipFile(file) as archive:
                found = [plain_files.in_zip(e.filename) for e in archive.infolist() if e.filename]
    except (RefusedError, *UNREADABLE):
        return []
    return [path for path in found if path.parts and not plain_files.hidden(path)]


def read(path: Path, name: str) -> tuple[bytes, float]:
    """One notebook's bytes, and when the zip file was changed. Raises RefusedError."""
    with _opened(path) as (archive, changed), archive.open(name) as file:
        return file.read(MAX_FILE + 1), changed


def _is_notebook(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    path = plain_files.in_zip(entry.filename)
    if plain_files.hidden(path) or path.suffix.lower() == NOTEBOOK:
        return not plain_files.hidden(path)
    if entry.compress_type not in _QUICK or entry.file_size > MAX_FILE:
        return False
    try:
        with archive.open(entry) as file:
            return other_files.is_notebook(file.read(other_files.HEAD))
    except UNREADABLE:
        return False


def _saved(entry: zipfile.ZipInfo) -> float:
    try:
        return datetime.datetime(*entry.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, float]]:
    try:
        with plain_files.opened(path) as file:
            facts = os.fstat(file.fileno())
            if facts.st_size > MAX_ZIP_BYTES:
                raise RefusedError(f"the zip file has {size_text(facts.st_size, MAX_ZIP_BYTES)}")
            if _described(file) > 2 * MAX_ENTRIES:  # files in it may be zip files themselves
                raise RefusedError(f"the zip file has far more than {MAX_ENTRIES} entries")
            with zipfile.ZipFile(file) as archive:
                yield archive, facts.st_mtime
    except UNREADABLE as error:
        raise RefusedError(f"is not a readable zip file ({error})") from None


def _described(file: BinaryIO) -> int:
    """About how many entries a zip file describes; `zipfile` would use half a KiB for each."""
    count, last = 0, b""
    while part := file.read(2**20):
        count += (last + part).count(_ENTRY)
        last = part[-len(_ENTRY) + 1 :]
    file.seek(0)
    return count


def _problem(found: list[zipfile.ZipInfo]) -> str:
    if len(found) > MAX_ENTRIES:
        return f"the zip file has {len(found)} entries, more than {MAX_ENTRIES}"
    for entry in found:
        path = plain_files.in_zip(entry.filename)
        if path.is_absolute() or ".." in path.parts:
            return f"the zip file names a path outside itself ({entry.filename[:80]!r})"
        if stat.S_ISLNK(entry.external_attr >> 16):
            return f"the zip file contains a symbolic link ({entry.filename[:80]!r})"
        notebook = path.suffix.lower() == NOTEBOOK and not plain_files.hidden(path)
        if notebook and entry.file_size > MAX_FILE:
            return f"{entry.filename[:80]!r} unpacks to {size_text(entry.file_size, MAX_FILE)}"
    return ""

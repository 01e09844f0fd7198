"""Opens untrusted files, regular ones only; keeps a class's notebooks on disk until graded."""

import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from grader.notebook import other_files

_KINDS = {
    stat.S_IFLNK: "is a symbolic link: submit the file itself",
    stat.S_IFIFO: "is a named pipe, not a file: submit the file itself",
    stat.S_IFSOCK: "is a socket, not a file: submit the file itself",
    stat.S_IFCHR: "is a device, not a file: submit the file itself",
    stat.S_IFBLK: "is a device, not a file: submit the file itself",
    stat.S_IFDIR: "is a folder: submit the file itself",
}
_ENDING = re.compile(r"(\.ipynb.*|\.[a-z0-9]{1,8})$", re.IGNORECASE)
LINKED = _KINDS[stat.S_IFLNK]


_OF_SYSTEMS = (
    *(".", "__MACOSX", "__pycache__", "@eaDir", "#recycle", "$RECYCLE.BIN", "lost+found"),
    "System Volume Information",
)


class RefusedError(Exception):
    """A submitted file is not read; the reason, in one sentence for the student."""


def refusal(path: Path) -> str:
    """Why this is not a regular file, or "" if it is. Does not open it. Raises OSError."""
    return _KINDS.get(stat.S_IFMT(path.lstat().st_mode), "")


def opened(path: Path) -> BinaryIO:
    """The file, open for reading; never blocks on a pipe. Raises RefusedError or OSError."""
    if why := refusal(path):
        raise RefusedError(why)
    # a file may have been replaced by a link or a pipe since the check
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    number = os.open(path, flags | getattr(os, "O_BINARY", 0))
    if why := _KINDS.get(stat.S_IFMT(os.fstat(number).st_mode), ""):
        os.close(number)
        raise RefusedError(why)
    return os.fdopen(number, "rb")


def head(path: Path) -> bytes:
    """How a file begins; b"" if it cannot be read."""
    try:
        with opened(path) as file:
            return file.read(other_files.HEAD)
    except (RefusedError, OSError):
        return b""


def stem(name: str) -> str:
    """A file's name without its endings, also those after `.ipynb`: "a1.ipynb.txt" → "a1"."""
    return _ENDING.sub("", name)


def in_zip(name: str) -> PurePosixPath:
    """The path of an entry of a zip file; some programs on Windows write it with backslashes."""
    return PurePosixPath(name.replace("\\", "/"))


def hidden(path: PurePosixPath) -> bool:
    """Whether a file was put there by the system or Jupyter, not by the student.

    iCloud hides what it has not downloaded, which a student handed in.
    """
    hides = any(part.startswith(_OF_SYSTEMS) for part in path.parts)
    return hides and not path.name.lower().endswith(".ipynb.icloud")


def size_text(size: int, most: int) -> str:
    """A size over the limit; in bytes too, as both may round to the same number of MiB."""
    return f"{size:,} bytes ({size / 2**20:.1f} MiB), more than {most // 2**20} MiB"


class Spool:
    """An unnamed temporary file, which nobody else can change and which ends with its last user."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (it closes with this object)
        self._end = 0

    def keep(self, data: bytes) -> "StoredBytes":
        self._file.write(data)
        self._file.flush()
        self._end += len(data)
        return StoredBytes(self, self._end - len(data), len(data))

    def read(self, start: int, size: int) -> bytes:
        return os.pread(self._file.fileno(), size, start)


@dataclass(frozen=True)
class StoredBytes:
    """Bytes in a spool. Another process gets them as bytes."""

    spool: Spool
    start: int
    size: int

    def __bytes__(self) -> bytes:
        return self.spool.read(self.start, self.size)

    def __reduce__(self) -> tuple[type[bytes], tuple[bytes]]:
        return bytes, (bytes(self),)

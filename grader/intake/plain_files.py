"""Opens untrusted files: regular files only, never a link, a pipe or a device."""

import os
import re
import stat
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

"""Opens what a stranger handed in: regular files only, never a link, a pipe or a device."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = {
    stat.S_IFLNK: "is a symbolic link: submit the file itself",
    stat.S_IFIFO: "is a named pipe, not a file: submit the file itself",
    stat.S_IFSOCK: "is a socket, not a file: submit the file itself",
    stat.S_IFCHR: "is a device, not a file: submit the file itself",
    stat.S_IFBLK: "is a device, not a file: submit the file itself",
    stat.S_IFDIR: "is a folder: submit the file itself",
}
LINKED = _KINDS[stat.S_IFLNK]


class RefusedError(Exception):
    """Why something that was handed in is not read, in one sentence for the student."""


def refusal(path: Path) -> str:
    """Why this is no regular file; "" if it is one. Never opens it. Raises OSError."""
    return _KINDS.get(stat.S_IFMT(path.lstat().st_mode), "")


def opened(path: Path) -> BinaryIO:
    """The file, open for reading. Raises RefusedError or OSError; never waits for a writer."""
    if why := refusal(path):
        raise RefusedError(why)
    # what was a file a moment ago may be a link or a pipe now
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    number = os.open(path, flags | getattr(os, "O_BINARY", 0))
    if why := _KINDS.get(stat.S_IFMT(os.fstat(number).st_mode), ""):
        os.close(number)
        raise RefusedError(why)
    return os.fdopen(number, "rb")


def told_size(size: int, most: int) -> str:
    """Its real size, in a unit that shows that it is more than it may be."""
    return f"{size:,} bytes ({size / 2**20:.1f} MiB), more than {most // 2**20} MiB"

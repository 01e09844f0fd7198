"""A private root directory that contains only what a worker may read.

Built once, in the warm process's own mount namespace; every worker's namespace is a copy of it.
Bind mounts at the original paths keep lazy imports working, even if the interpreter is installed in
a home directory that only its owner can enter.
"""

import os
import tempfile

from . import linux
from .readable_files import DEVICES, Readable

SCRATCH, SHARED_MEMORY = "/scratch", "/dev/shm"

# mount(2)'s names for the flags that statvfs(2) reports; a remount may not drop them
_KEPT = {2: linux.NOSUID, 4: linux.NODEV, 8: linux.NOEXEC, 1024: 1024, 2048: 2048,
         4096: linux.RELATIME}  # fmt: skip


def enter(readable: Readable) -> None:
    """Give this process the new root. Needs its own mount namespace. Raises OSError."""
    linux.mount("", "/", flags=linux.RECURSIVE | linux.PRIVATE)
    root = tempfile.mkdtemp(prefix="view-")
    linux.mount("tmpfs", root, "tmpfs", linux.NOSUID | linux.NODEV, "size=4m,mode=0755")
    try:
        _furnish(root, readable)
        linux.change_root(root)
    except OSError:
        linux.unmount(root)
        os.rmdir(root)
        raise
    _make_read_only("/")


def _furnish(root: str, readable: Readable) -> None:
    for path in ("/proc", SHARED_MEMORY, SCRATCH):
        os.makedirs(root + path)
    linux.mount("/proc", root + "/proc", flags=linux.BIND | linux.RECURSIVE)
    for device in DEVICES:
        _bind(device, root + device)
    # Parents come before children, so the nearer of a root and a hidden folder wins.
    for path in sorted({*readable.roots, *readable.hidden}):
        if path in readable.roots:
            _bind(path, root + path)
            _make_read_only(root + path)
        elif os.path.lexists(root + path):
            _cover(root + path)


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
    linux.mount(os.path.realpath(source), target, flags=linux.BIND | linux.RECURSIVE)


def _cover(target: str) -> None:
    if os.path.isdir(target):
        linux.mount("tmpfs", target, "tmpfs", linux.NOSUID | linux.NODEV, "size=1m,mode=0755")
    else:
        linux.mount("/dev/null", target, flags=linux.BIND)


def _make_read_only(target: str) -> None:
    reported = os.statvfs(target).f_flag
    kept = sum(flag for bit, flag in _KEPT.items() if reported & bit)
    flags = linux.BIND | linux.REMOUNT | linux.RDONLY | linux.NOSUID | kept
    linux.mount("", target, flags=flags)

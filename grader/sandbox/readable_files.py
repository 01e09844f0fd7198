"""The files that a worker may read, and a root directory that contains only these."""

import fnmatch
import os
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import linux

SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64")
SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

# Entries of a packages folder that belong to the grader or point to a checkout.
OWN_ENTRIES = ("grader", "_editable_impl_*", "__editable__*")


@dataclass(frozen=True)
class Readable:
    """Folders and files that a worker may read, and hidden paths beneath them."""

    roots: tuple[str, ...]
    hidden: tuple[str, ...]

    def grants(self) -> list[str]:
        """The largest folders and files beneath a root that contain nothing hidden.

        A root inside a hidden path (a virtual environment in the checkout) stays readable: the
        nearer of the two decides.
        """
        found: list[str] = []
        waiting = [os.path.realpath(root) for root in self.roots]
        while waiting:
            path = waiting.pop()
            if not any(_beneath(hidden, path) for hidden in self.hidden):
                found.append(path)
            elif path not in self.hidden:
                waiting += [os.path.join(path, name) for name in os.listdir(path)]
        return sorted(set(found))


def for_python(
    student_tree: str, packages: list[str], answers: list[str], own: list[str]
) -> Readable:
    """The paths for this interpreter.

    `answers` are folders to hide, `own` patterns of the course's packages, which may be
    installed.
    """
    libraries = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *packages]
    libraries += [os.path.join(prefix, "lib") for prefix in (sys.base_prefix, sys.prefix)]
    roots = [*SYSTEM, *SETTINGS, *libraries, student_tree]
    own = [
        str(entry)
        for folder in packages
        for entry in Path(folder).iterdir()
        if any(fnmatch.fnmatch(entry.name, pattern) for pattern in (*OWN_ENTRIES, *own))
    ]
    existing = {path for path in roots if os.path.exists(path)}
    hidden = {os.path.realpath(path) for path in (*answers, *own)}
    hidden -= {os.path.realpath(path) for path in existing}
    return Readable(tuple(sorted(existing)), tuple(sorted(hidden)))


def _beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


SCRATCH, SHARED_MEMORY = "/scratch", "/dev/shm"

# mount(2)'s names for the flags that statvfs(2) reports; a remount may not drop them
_KEPT = {2: linux.NOSUID, 4: linux.NODEV, 8: linux.NOEXEC, 1024: 1024, 2048: 2048,
         4096: linux.RELATIME}  # fmt: skip


def enter_view(readable: Readable) -> None:
    """Give this process a root that contains only what a worker may read. Raises OSError.

    Built once, in the warm process's own mount namespace; every worker's namespace is a copy of it.
    Bind mounts at the original paths keep lazy imports working, even if the interpreter is in a
    home directory that only its owner can enter.
    """
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

"""The files that a worker may read: only the interpreter, its packages, the student's tree."""

import fnmatch
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

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

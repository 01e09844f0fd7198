"""What a worker may read: the interpreter, its packages, the student's tree, and nothing else."""

from __future__ import annotations

import fnmatch
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64")
SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

# Entries of a packages folder that are the course's own, or lead to where it is checked out.
OWN_ENTRIES = ("course_lib*", "autograder*", "transformer_course*", "_editable_impl_*",
               "__editable__*")  # fmt: skip


@dataclass(frozen=True)
class Readable:
    """Folders and files open to a worker, and what lies beneath them and is closed."""

    roots: tuple[str, ...]
    hidden: tuple[str, ...]

    def grants(self) -> list[str]:
        """The largest folders and files that lie beneath a root and hold nothing hidden.

        A hidden path that holds a root (a checkout with its virtual environment) does not take the
        root away: what is nearer decides.
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


def for_python(student_tree: str, packages: list[str], answers: list[str]) -> Readable:
    """For this interpreter. `answers` are folders that must stay closed, the checkout first."""
    places = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *packages]
    places += [os.path.join(prefix, "lib") for prefix in (sys.base_prefix, sys.prefix)]
    roots = [*SYSTEM, *SETTINGS, *places, student_tree]
    own = [
        str(entry)
        for folder in packages
        for entry in Path(folder).iterdir()
        if any(fnmatch.fnmatch(entry.name, pattern) for pattern in OWN_ENTRIES)
    ]
    existing = {path for path in roots if os.path.exists(path)}
    hidden = {os.path.realpath(path) for path in (*answers, *own)}
    hidden -= {os.path.realpath(path) for path in existing}
    return Readable(tuple(sorted(existing)), tuple(sorted(hidden)))


def _beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

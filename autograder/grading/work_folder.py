"""The temporary folder of a run, and the removal of those left by killed runs."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "course-run-"
YOUNG_SECONDS = 60.0  # a folder exists a moment before it is locked


@contextmanager
def work_folder() -> Iterator[Path]:
    """A world-readable folder, removed at the end; removes leftovers of killed runs first.

    A run holds a lock on its folder, which the system releases however the run ends.
    """
    _remove_leftovers(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name)
        lock = _locked(folder)
        folder.chmod(0o755)  # workers run under other users
        try:
            yield folder
        finally:
            if lock is not None:
                os.close(lock)


def _remove_leftovers(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            stat = folder.lstat()
            if stat.st_uid != os.getuid() or time.time() - stat.st_mtime < YOUNG_SECONDS:
                continue
            lock = _locked(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock; None if another process has it."""
    import fcntl  # not on Windows, where nothing is graded

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor

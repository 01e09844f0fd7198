"""The temporary folder of a run, and the end of those whose run was killed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "course-run-"
YOUNG_SECONDS = 60.0  # a folder may be there a moment before its lock


@contextmanager
def work_folder() -> Iterator[Path]:
    """A folder that everybody may read, gone at the end; leftovers of killed runs go first.

    A run holds a lock on its folder, which the system takes back however the run ends.
    """
    _remove_leftovers(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name)
        held = _locked(folder)
        folder.chmod(0o755)  # workers run under other users
        try:
            yield folder
        finally:
            if held is not None:
                os.close(held)


def _remove_leftovers(place: Path) -> None:
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            if about.st_uid != os.getuid() or time.time() - about.st_mtime < YOUNG_SECONDS:
                continue
            held = _locked(folder)
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(held)


def _locked(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock; None when another process has it."""
    import fcntl  # not on Windows, where nothing is graded

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor

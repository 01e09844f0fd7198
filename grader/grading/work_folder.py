"""The temporary folder of a run, and the removal of those left by killed runs."""

import multiprocessing.util
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

PREFIX = "course-run-"
STARTING = "course-start-"  # its name until it is locked, a moment later
YOUNG_SECONDS = 60.0
SHORT = Path("/tmp")  # there on every POSIX system
LONGEST = 50  # bytes of the temporary folder's path: with what follows, a socket's has 103 at most


@contextmanager
def work_folder(parent: Path | None = None) -> Iterator[Path]:
    """A world-readable folder, removed at the end; removes leftovers of killed runs first.

    A run holds a lock on its folder, which the system releases however the run ends. `parent` is
    the system's temporary folder unless it is given.
    """
    parent = parent or Path(tempfile.gettempdir())
    _remove_leftovers(parent)
    starting = Path(tempfile.mkdtemp(prefix=STARTING, dir=parent))
    lock = _locked(starting)
    folder = starting.rename(parent / f"{PREFIX}{starting.name.removeprefix(STARTING)}")
    owner = os.getpid()
    try:
        folder.chmod(0o755)  # workers run under other users
        yield folder
    finally:
        if os.getpid() == owner:  # a forked child drops its copy of this, and must not clean up
            shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@lru_cache(maxsize=1)
def place_sockets() -> None:
    """Make multiprocessing put its sockets into a work folder that this process keeps to its end.

    It would put them into a folder of its own, which nobody removes after a `kill -9`, and fail
    where the temporary folder's path is long: a socket's path must be short.
    """
    is_long = len(os.fsencode(tempfile.gettempdir())) > LONGEST
    stack = ExitStack()
    folder = stack.enter_context(work_folder(SHORT if is_long else None))
    # after multiprocessing has removed what it put there, at -100
    multiprocessing.util.Finalize(None, stack.close, exitpriority=-200)
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        multiprocessing.util.get_temp_dir()  # it remembers the folder
    finally:
        tempfile.tempdir = before


def _remove_leftovers(parent: Path) -> None:
    for folder in [*parent.glob(f"{PREFIX}*"), *parent.glob(f"{STARTING}*")]:
        with suppress(OSError):
            stat = folder.lstat()
            young = time.time() - stat.st_mtime < YOUNG_SECONDS
            if stat.st_uid != os.getuid() or (young and folder.name.startswith(STARTING)):
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

"""A lock on a folder: of several processes that write there, one at a time does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for `folder`. Leaves no file behind.

    The system releases the lock however the process ends. Where folders cannot be locked (Windows,
    some network disks), nothing waits. Blocks for the same folder cannot be nested.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

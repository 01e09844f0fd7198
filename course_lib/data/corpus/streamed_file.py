"""A large file of the hub, streamed to disk, resumed after a cut, and verified."""

import hashlib
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

from .. import hub
from ..registry import DataError, HubFile, Unavailable

CHUNK = 1 << 20  # bytes
ATTEMPTS = 5  # connections in a row that brought nothing
PAUSE = 1.0  # seconds before the next


def sha256_of(path: Path) -> str:
    """The checksum of a file of any size."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fetch(wanted: HubFile, folder: Path, log: Callable[[str], None]) -> tuple[Path, str]:
    """(path, sha256) of the file in `folder`, verified; what an earlier call has fetched is kept.

    Raises Unavailable when the hub does not answer, or its connections bring nothing more: another
    call resumes there. Raises DataError for a wrong checksum, and removes the file.
    """
    path = folder / wanted.file.replace("/", "_")
    address, size, stated = hub.about(wanted)
    promised = wanted.sha256 or stated
    if promised is None or not size:
        raise DataError(
            f"neither data/registry.toml nor the hub has a checksum and a size of {wanted.file}: "
            "add the checksum to the registry"
        )
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    if not path.exists():
        _complete(address, part, size, wanted.file, log)
        part.replace(path)
    if (found := sha256_of(path)) != promised:
        path.unlink()
        raise DataError(
            f"{wanted.file} has the checksum {found[:12]}… instead of {promised[:12]}…, so it is "
            "not the file of the pinned commit: it was removed, run the command again"
        )
    return path, found


def _complete(address: str, part: Path, size: int, name: str, log: Callable[[str], None]) -> None:
    """Fetch what is missing of the part, over as many connections as bring something."""
    part.touch()
    failed, reason = 0, ""
    while (done := part.stat().st_size) < size:
        if failed == ATTEMPTS:
            raise Unavailable(
                f"{name}: the connection ends after {done:,} of {size:,} bytes{reason}: run the "
                "command again to resume there"
            )
        if done or failed:
            log(f"{name}: resuming after {done:,} of {size:,} bytes")
        try:
            _append(address, part, done)
            reason = ""
        except (OSError, HTTPException) as error:  # networks fail in many ways
            reason = f" ({type(error).__name__})"
        failed = 0 if part.stat().st_size > done else failed + 1
        if part.stat().st_size < size:
            time.sleep(PAUSE)


def _append(address: str, part: Path, start: int) -> None:
    """Append to the part what one connection brings from `start` on."""
    request = urllib.request.Request(address, headers={"Range": f"bytes={start}-"})
    with urllib.request.urlopen(request, timeout=hub.READ_TIMEOUT) as answer:
        if start and answer.status != 206:
            raise OSError("the server does not send parts of a file")
        with part.open("ab") as file:
            while chunk := answer.read(CHUNK):
                file.write(chunk)

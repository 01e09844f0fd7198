"""A release as a zip whose bytes depend on nothing but its files."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from pathlib import Path

from .changes import MANIFEST, ReleaseError
from .contents import Files

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can hold
TOP = "course"  # the folder that the zip unpacks into
READABLE = 0o100644 << 16


def packed(files: Files) -> bytes:
    """The zip's bytes: sorted, without a clock, and stored, as compressors differ."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{TOP}/{name}", EPOCH)
            entry.create_system, entry.external_attr = 3, READABLE
            archive.writestr(entry, data)
    return target.getvalue()


def beside(folder: Path) -> Path:
    """Where the zip of a folder goes. Raises ReleaseError if a file of somebody's own is there."""
    path = folder.resolve()
    path = path.with_name(f"{path.name}.zip")
    if path.exists() and not _is_ours(path):
        raise ReleaseError(f"{path}: is there already, and no release made it; move it away")
    return path


def _is_ours(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return f"{TOP}/{MANIFEST}" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def write(data: bytes, path: Path) -> None:
    """Replace the zip at once, so that nobody downloads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(prefix=".course-release-", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.chmod(made, 0o644)
    os.replace(made, path)

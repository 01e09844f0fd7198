"""Puts a finished release into a folder, file by file, and takes nobody's own file away."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from .changes import CHANGELOG, MANIFEST, Release, ReleaseError, digest
from .contents import Files

NEXT = ".course-release.next.json"  # there while files are replaced: a killed release is finished
CACHES = (".git", "__pycache__", ".ipynb_checkpoints")  # neither a release's nor anybody's work


def read(folder: Path) -> Files:
    """The files in a folder, caches and `.git` left out. Raises ReleaseError if it is a file."""
    if not folder.exists():
        return {}
    if not folder.is_dir():
        raise ReleaseError(f"{folder}: is a file; give a folder for the release")
    found: Files = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if set(inside.parts) & set(CACHES):
            continue
        if path.is_symlink():
            raise ReleaseError(f"{path}: is a link, which no release made; move it away")
        if path.is_file():
            found[inside.as_posix()] = path.read_bytes()
    return _after_a_kill(found)


def _after_a_kill(found: Files) -> Files:
    """The same, if a release into this folder was killed, as the manifest of both releases."""
    if NEXT not in found:
        return found
    coming = Release.read(found.pop(NEXT), NEXT)
    manifest = found.get(MANIFEST)
    before = Release.read(manifest, MANIFEST) if manifest else Release()
    known = {**before.files}
    for path, data in found.items():
        if coming.files.get(path) == digest(data):
            known[path] = digest(data)
    found[MANIFEST] = Release(before.name, before.answers, known).written()
    return found


def write(files: Files, folder: Path) -> None:
    """Make the folder hold these files, in place of an earlier release's.

    `read` and `changes.previous` must have found nothing but an earlier release in it. The new tree
    is complete beside the folder before the first file is replaced.
    """
    before = read(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".course-release-", dir=folder.parent) as place:
        made = Path(place) / "tree"
        put(files, made)
        if not folder.exists():
            made.rename(folder)
            return
        (folder / NEXT).write_bytes(files[MANIFEST])
        for name in files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(made / name, target)
    for name in sorted(before.keys() - files.keys() - {CHANGELOG}):
        _remove(folder / name, folder)
    (folder / NEXT).unlink()


def put(files: Files, folder: Path) -> None:
    """Write files below a new folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _remove(path: Path, folder: Path) -> None:
    """Remove a file of an earlier release, and the folders that this leaves empty."""
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == folder:
            return
        shutil.rmtree(parent / "__pycache__", ignore_errors=True)
        if any(parent.iterdir()):
            return
        parent.rmdir()

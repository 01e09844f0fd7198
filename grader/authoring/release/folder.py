"""Puts a finished release into a folder or a zip, and takes nobody's own file away.

A zip's bytes depend on nothing but the files of the release.
"""

import io
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from grader.course.tree import PACKED

from .changes import CHANGELOG, MANIFEST, Release, ReleaseError, digest
from .contents import Files

NEXT = ".course-release.next.json"  # there while files are replaced: a killed release is finished
CACHES = (".git", "__pycache__", ".ipynb_checkpoints")  # neither a release's nor anybody's work
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can hold
TOP = "course/"  # the folder that the zip unpacks into
GRADER = "grader/"  # to read is the library; what checks notebooks is one file
PROGRAM = b"""\
import pathlib, sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from grader.student.program import main

main()
"""
READABLE = 0o100644 << 16


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


def with_packed_grader(files: Files) -> Files:
    """The files, of which the grader's are one zip, which Python imports from and runs."""
    inside = {name: data for name, data in files.items() if name.startswith(GRADER)}
    rest = {name: data for name, data in files.items() if name not in inside}
    return {**rest, PACKED: packed({**inside, "__main__.py": PROGRAM}, top="")} if inside else rest


def packed(files: Files, top: str = TOP) -> bytes:
    """The zip's bytes: sorted, without a clock, and stored, as compressors differ."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}{name}", EPOCH)
            entry.create_system, entry.external_attr = 3, READABLE
            archive.writestr(entry, data)
    return target.getvalue()


def zip_path(folder: Path) -> Path:
    """Where the zip of a folder goes. Raises ReleaseError if a file of somebody's own is there."""
    path = folder.resolve()
    path = path.with_name(f"{path.name}.zip")
    if path.exists() and not _is_ours(path):
        raise ReleaseError(f"{path}: exists already, and no release made it; move it away")
    return path


def _is_ours(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return f"{TOP}{MANIFEST}" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def write_zip(data: bytes, path: Path) -> None:
    """Replace the zip at once, so that nobody downloads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(prefix=".course-release-", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.chmod(made, 0o644)
    os.replace(made, path)

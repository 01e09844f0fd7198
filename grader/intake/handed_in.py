"""Finds the files handed in with a notebook, and reads them on request.

They are searched for next to the notebook and in a folder `submission` there, in a zip file then
anywhere. Links are not followed, and nothing is extracted to disk.
"""

import hashlib
import zipfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course.exercise import MAX_TOTAL
from grader.course.submission_folder import FOLDER

from . import plain_files

KINDS = (".safetensors", ".json", ".csv", ".txt")


class TooLarge(Exception):
    """The files exceed the size limit; one sentence for the student."""


@dataclass(frozen=True)
class HandedIn:
    """Named files of one submission. `archive` is the zip file that holds them, or ""."""

    places: tuple[tuple[str, str], ...] = ()  # name, path on the disk or in the archive
    archive: str = ""
    most: int = MAX_TOTAL  # bytes, all files together

    def only(self, names: Collection[str], most: int = MAX_TOTAL) -> "HandedIn":
        """Only files of these names; they may have `most` bytes together."""
        kept = tuple((name, place) for name, place in self.places if name in names)
        return HandedIn(kept, self.archive, most)

    def read(self) -> dict[str, bytes]:
        """Every file's bytes. Raises TooLarge, RefusedError, OSError or zipfile.BadZipFile."""
        left = self.most
        contents = {}
        for name, place in self.places:
            contents[name] = self._bytes(place, left + 1)
            left -= len(contents[name])
            if left < 0:
                raise TooLarge(
                    f"the files beside the notebook exceed {self.most >> 20} MiB: hand in a "
                    "smaller model"
                )
        return contents

    def _bytes(self, place: str, most: int) -> bytes:
        if not self.archive:
            with plain_files.opened(Path(place)) as file:
                return file.read(most)
        with (
            plain_files.opened(Path(self.archive)) as file,
            zipfile.ZipFile(file) as archive,
            archive.open(place) as entry,
        ):
            return entry.read(most)


def find(*folders: Path) -> HandedIn:
    """Files in these folders and the folder `submission` in each; earlier folders win."""
    found: dict[str, str] = {}
    for path in _candidates(folders):
        if path.is_file() and not path.is_symlink():
            found.setdefault(path.name, str(path))
    return HandedIn(tuple(found.items()))


def refused(folder: Path) -> list[tuple[str, str]]:
    """Names of links, pipes and devices in place of a file, and what each is."""
    found = [(path.name, plain_files.refusal(path)) for path in _candidates([folder])]
    return [(name, why.partition(":")[0]) for name, why in found if why]


def _candidates(folders: Iterable[Path]) -> Iterator[Path]:
    for place in (place for folder in folders for place in (folder / FOLDER, folder)):
        if place.is_dir() and not place.is_symlink():
            yield from (path for path in sorted(place.iterdir()) if path.suffix in KINDS)


def inside(archive: Path, names: Iterable[str], notebook: str) -> HandedIn:
    """Files in a zip file, by the last part of their names; those with its notebook win."""
    folder = plain_files.in_zip(notebook).parent
    paths = {name: plain_files.in_zip(name) for name in names}
    found: dict[str, str] = {}
    for place in (folder / FOLDER, folder, None):  # as `beside`, then anywhere
        for name, path in paths.items():
            here = place in (path.parent, None) and path.suffix in KINDS
            if here and not plain_files.hidden(path):
                found.setdefault(path.name, name)
    return HandedIn(tuple(found.items()), str(archive))


def digest(notebook: bytes, files: dict[str, bytes]) -> str:
    """SHA-256 of a submission: of the notebook, and of the names and bytes of its files if any."""
    whole = hashlib.sha256(notebook)
    for name in sorted(files):
        whole.update(b"\0" + name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return whole.hexdigest()

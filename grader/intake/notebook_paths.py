"""Finds the notebooks in a class's folder, and the assignment that each path names."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from grader.notebook import other_files

from ..classroom import regrade_file
from ..classroom.receipt import Receipt
from . import archives, plain_files
from .archives import NOTEBOOK

MAX_DEPTH = 4  # folders below a student's own
MAX_FILES = 2_000  # listed per student and per folder
ARCHIVE = ".zip"
_COPY = re.compile(r"(?: ?\(\d+\)|-copy\d*| - copy| copy(?: \d+)?)$", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """A notebook that could be graded, or something else handed in, with the `problem` it has.

    `exact` says how clearly the path names the assignment: 0, by folder and file; 1, by folder;
    2, by file; 3, not at all. `depth`: the number of folders between the student's and it.
    """

    name: str  # as the instructor sees it: `bob/a1/a1.ipynb`, `ada.zip:work/a1.ipynb`
    path: Path
    assignment: str
    exact: int
    depth: int
    file: str = ""  # what the student called it
    entry: str = ""  # the notebook's name in a zip file
    saved: float = 0.0
    problem: str = ""
    empty: bool = False  # whether nothing of the assignment is written in it
    attempt: int = 0  # by the number that Canvas gives to what is handed in again
    root: Path | None = None  # the student's folder, unless it is a download
    stated: Receipt | None = None  # when it came in, by the list of an export
    late: bool | None = None  # by the name that Canvas gave it; None: nobody says

    @property
    def order(self) -> tuple[bool, bool, int, int, int, int, float, str]:
        """The smallest is graded; see `choice`. Dates are compared as exactly as zip files do."""
        age = -(self.saved // 2)
        place = (self.exact, self.depth, -self.attempt, age, self.name)
        return (bool(self.problem), self.empty, self.asked, *place)

    @property
    def asked(self) -> int:
        """0 for the name that is asked for, 1 for it with another ending, or else 2."""
        if plain_files.stem(self.file).lower() != self.assignment:
            return 2
        return int(not self.file.lower().endswith(NOTEBOOK))

    @property
    def usual(self) -> bool:
        """Whether it is where the course asks for it, or anywhere in a zip file."""
        in_folder = self.depth == 1 and self.path.parent.name == self.assignment
        return bool(self.entry) or self.depth == 0 or in_folder


def split_name(stem: str, assignments: Sequence[str]) -> tuple[str, str]:
    """ "ada_a1", "a1-ada" or "ada_a1 (1)" → ("ada", "a1"); "ada" → ("ada", "")."""
    for assignment in assignments:
        for mark in ("_", "-", " "):
            if stem.lower().endswith(mark + assignment):
                return stem[: -len(assignment) - 1], assignment
            if stem.lower().startswith(assignment + mark):
                rest = stem[len(assignment) + 1 :]
                copy = copied(rest)  # "-Copy1" could belong to a name on GitHub
                return rest[: -len(copy)] if copy.startswith(" ") else rest, assignment
        if stem.lower() == assignment:
            return stem, assignment
    original = stem[: len(stem) - len(copied(stem))]
    return split_name(original, assignments) if original != stem else (stem, "")


def copied(stem: str) -> str:
    """The ending that a browser, Jupyter or Windows adds to a copy's name: "a1 (1)" → " (1)"."""
    found = _COPY.search(stem)
    return found[0] if found else ""


def named(folders: Sequence[str], stem: str, assignments: Sequence[str]) -> tuple[str, int]:
    """The assignment that a path names, by its nearest folder or else its file, and `exact`."""
    by_file = split_name(stem, assignments)[1]
    for folder in reversed(folders):
        if folder.lower() in assignments:
            return folder.lower(), 0 if by_file == folder.lower() else 1
    return by_file, 2 if by_file else 3


def of_file(
    name: str, path: Path, folders: Sequence[str], ids: Sequence[str], file: str = ""
) -> list[Place]:
    """The notebook at `path`, or those in the zip file there; `folders` are its parents' names.

    `file` is what the student called it, if a platform changed its name.
    """
    file = file or path.name
    assignment, exact = named(folders, plain_files.stem(file), ids)
    place = Place(name, path, assignment, exact, len(folders), file)
    try:
        if why := plain_files.refusal(path):
            return [replace(place, problem=why)]
        head = plain_files.head(path)
        packed = head.startswith(other_files.ZIP) or path.suffix.lower() == ARCHIVE
        if packed and not other_files.is_notebook(head):
            by_name = [assignment] if assignment and exact == 2 else []
            return _in_archive(place, [*folders, *by_name], ids)
        return [replace(place, saved=path.stat().st_mtime)]
    except OSError as error:
        return [replace(place, problem=f"cannot be read ({error.strerror})")]


def is_handed_in(path: Path) -> bool:
    """Whether a file is a notebook or a zip file, by its name or its content."""
    if path.suffix.lower() in (NOTEBOOK, ARCHIVE):
        return True
    head = plain_files.head(path)
    packed = head.startswith(other_files.ZIP) and other_files.is_meant(path.name)
    return packed or other_files.is_notebook(head)


def asks_only(path: Path) -> bool:
    """Whether a file, or all that a folder contains, is a student's regrade request."""
    is_folder = path.is_dir() and not path.is_symlink()
    files = walk(path)[0] if is_folder else [path]
    return bool(files) and all(map(_is_request, files))


def _is_request(path: Path) -> bool:
    return regrade_file.is_named(path.name) and not is_handed_in(path)


def below(folder: Path, name: str, ids: Sequence[str]) -> list[Place]:
    """Every notebook in a student's folder, or what was handed in instead of one."""
    files, problem = walk(folder)
    files = [path for path in files if not _is_request(path)]
    found: list[Place] = []
    for path in files:
        inside = path.relative_to(folder)
        if is_handed_in(path):
            found += of_file(f"{name}/{inside.as_posix()}", path, inside.parts[:-1], ids)
        elif path.is_symlink() and path.name.lower() in ids:
            link = f"{name}/{inside.as_posix()}"
            found.append(Place(link, path, path.name.lower(), 1, 1, problem=plain_files.LINKED))
    return [*found, *_without_notebook(folder, name, files, found, problem, ids)]


def _without_notebook(
    folder: Path, name: str, files: list[Path], found: list[Place], problem: str, ids: Sequence[str]
) -> list[Place]:
    """Assignments that a folder or file names but no notebook; or a folder without notebooks."""
    missing: dict[str, list[Path]] = {id: [] for id in ids if _has_folder(folder, id)}
    for path in files:
        folders = path.relative_to(folder).parts[:-1]
        if len(folders) <= 1:
            id = named(folders, plain_files.stem(path.name), ids)[0]
            missing.setdefault(id, []).append(path)
    covered = {place.assignment for place in found} | {""}
    problems = [(id, _instead(folder, missing[id])) for id in sorted(missing.keys() - covered)]
    if not found and not problems:
        problems = [("", problem or _instead(folder, files))]
    return [Place(name, folder, id, 3, 1, problem=why) for id, why in problems]


def _has_folder(folder: Path, assignment: str) -> bool:
    return any((folder / name).is_dir() for name in (assignment, assignment.upper()))


def _instead(folder: Path, files: list[Path]) -> str:
    """The file that is there in place of a notebook, or the kind of one that only looks like it."""
    meant = (path for path in files if other_files.is_meant(path.name))
    named = ((path.name, what_it_is(path)) for path in meant)
    told = next((f"no notebook: {name} {why}" for name, why in named if why), "")
    return told or _no_notebook(["/".join(path.relative_to(folder).parts) for path in files])


def what_it_is(path: Path) -> str:
    """The kind of a file that is not a notebook, and what to do; "" if that is unclear."""
    return plain_files.refusal(path) or other_files.instead(plain_files.head(path))


def _no_notebook(files: list[str]) -> str:
    if not files:
        return "no notebook: the folder is empty; submit an .ipynb"
    more = f" and {len(files) - 4} more" if len(files) > 4 else ""
    return f"no notebook, only {', '.join(files[:4])}{more}: submit an .ipynb"


def walk(folder: Path) -> tuple[list[Path], str]:
    """Files, links and so on below a folder, nearest first, and a problem with listing them.

    Links are not followed, and hidden files of the system or Jupyter are left out.
    """
    files: list[Path] = []
    level, problem = [folder], ""
    for _ in range(MAX_DEPTH + 1):
        deeper: list[Path] = []
        for place in level:
            try:
                with os.scandir(place) as listing:
                    inside = sorted(islice(listing, MAX_FILES), key=lambda entry: entry.name)
            except OSError as error:
                problem = f"{place.name}: cannot be read ({error.strerror})"
                continue
            for entry in inside:
                if not plain_files.hidden(PurePosixPath(entry.name)):
                    is_folder = entry.is_dir(follow_symlinks=False)
                    (deeper if is_folder else files).append(Path(entry.path))
        if len(files) >= MAX_FILES:
            break
        level = deeper[:MAX_FILES]
    return files[:MAX_FILES], problem


def _in_archive(place: Place, folders: Sequence[str], ids: Sequence[str]) -> list[Place]:
    try:
        entries = archives.entries(place.path)
    except plain_files.RefusedError as error:
        return [replace(place, problem=str(error))]
    found = []
    for entry in entries:
        if entry.is_notebook:
            path = plain_files.in_zip(entry.name)
            inside = [*folders, *path.parts[:-1]]
            assignment, exact = named(inside, plain_files.stem(path.name), ids)
            name, depth = f"{place.name}:{entry.name}", place.depth + len(path.parts)
            about = Place(name, place.path, assignment, exact, depth, path.name, entry.name)
            found.append(replace(about, saved=entry.saved))
    if not found:
        problem = f"{_no_notebook([entry.name for entry in entries])} in the zip file"
        document = other_files.packed_document(plain_files.head(place.path))
        return [replace(place, problem=document or problem)]
    return found

"""Finds the notebooks in a class's folder, and the assignment that each path names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from ..classroom.receipt import Receipt
from . import archives, plain_files

MAX_DEPTH = 4  # folders below a student's own
MAX_FILES = 2_000  # listed per student and per folder
NOTEBOOK, ARCHIVE = ".ipynb", ".zip"


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
    entry: str = ""  # the notebook's name in a zip file
    saved: float = 0.0
    problem: str = ""
    root: Path | None = None  # the student's folder, unless it is a download
    stated: Receipt | None = None  # when it came in, by the list of an export
    late: bool | None = None  # by the name that Canvas gave it; None: nobody says

    @property
    def order(self) -> tuple[bool, int, int, float, str]:
        """The smallest is graded: readable, clearly named, in few folders, recent."""
        return bool(self.problem), self.exact, self.depth, -self.saved, self.name

    @property
    def usual(self) -> bool:
        """Whether it is where the course asks for it, or anywhere in a zip file."""
        in_folder = self.depth == 1 and self.path.parent.name == self.assignment
        return bool(self.entry) or self.depth == 0 or in_folder


def split_name(stem: str, assignments: Sequence[str]) -> tuple[str, str]:
    """ "ada_a1" or "a1-ada" → ("ada", "a1"); "ada" → ("ada", "")."""
    for assignment in assignments:
        for mark in ("_", "-", " "):
            if stem.lower().endswith(mark + assignment):
                return stem[: -len(assignment) - 1], assignment
            if stem.lower().startswith(assignment + mark):
                return stem[len(assignment) + 1 :], assignment
        if stem.lower() == assignment:
            return stem, assignment
    return stem, ""


def named(folders: Sequence[str], stem: str, assignments: Sequence[str]) -> tuple[str, int]:
    """The assignment that a path names, by its nearest folder or else its file, and `exact`."""
    by_file = split_name(stem, assignments)[1]
    for folder in reversed(folders):
        if folder.lower() in assignments:
            return folder.lower(), 0 if by_file == folder.lower() else 1
    return by_file, 2 if by_file else 3


def of_file(
    name: str, path: Path, folders: Sequence[str], ids: Sequence[str], stem: str = ""
) -> list[Place]:
    """The notebook at `path`, or those in the zip file there; `folders` are its parents' names.

    `stem` is what the student called the file, if a platform added to its name.
    """
    assignment, exact = named(folders, stem or path.stem, ids)
    place = Place(name, path, assignment, exact, len(folders))
    try:
        if why := plain_files.refusal(path):
            return [_with(place, why)]
        if path.suffix.lower() == ARCHIVE:
            by_name = [assignment] if assignment and exact == 2 else []
            return _in_archive(place, [*folders, *by_name], ids)
        return [Place(name, path, assignment, exact, len(folders), "", path.stat().st_mtime)]
    except OSError as error:
        return [_with(place, f"cannot be read ({error.strerror})")]


def below(folder: Path, name: str, ids: Sequence[str]) -> list[Place]:
    """Every notebook in a student's folder, or what was handed in instead of one."""
    files, problem = walk(folder)
    found: list[Place] = []
    for path in files:
        inside = path.relative_to(folder)
        if path.suffix.lower() in (NOTEBOOK, ARCHIVE):
            found += of_file(f"{name}/{inside.as_posix()}", path, inside.parts[:-1], ids)
        elif path.is_symlink() and path.name.lower() in ids:
            link = f"{name}/{inside.as_posix()}"
            found.append(Place(link, path, path.name.lower(), 1, 1, problem=plain_files.LINKED))
    return [*found, *_without_notebook(folder, name, files, found, problem, ids)]


def _without_notebook(
    folder: Path, name: str, files: list[Path], found: list[Place], problem: str, ids: Sequence[str]
) -> list[Place]:
    """Assignments that a folder or file names but no notebook; or a folder without notebooks."""
    missing: dict[str, list[str]] = {id: [] for id in ids if _has_folder(folder, id)}
    there = ["/".join(path.relative_to(folder).parts) for path in files]
    for path, shown in zip(files, there, strict=True):
        folders = path.relative_to(folder).parts[:-1]
        if len(folders) <= 1:
            missing.setdefault(named(folders, path.stem, ids)[0], []).append(shown)
    covered = {place.assignment for place in found} | {""}
    problems = [(id, _no_notebook(missing[id])) for id in sorted(missing.keys() - covered)]
    if not found and not problems:
        problems = [("", problem or _no_notebook(there))]
    return [Place(name, folder, id, 3, 1, problem=why) for id, why in problems]


def _has_folder(folder: Path, assignment: str) -> bool:
    return any((folder / name).is_dir() for name in (assignment, assignment.upper()))


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
        entries, saved = archives.entries(place.path)
    except plain_files.RefusedError as error:
        return [_with(place, str(error))]
    found = []
    for entry in entries:
        path = plain_files.in_zip(entry.filename)
        if path.suffix.lower() == NOTEBOOK and not plain_files.hidden(path):
            inside = [*folders, *path.parts[:-1]]
            assignment, exact = named(inside, path.stem, ids)
            name = f"{place.name}:{entry.filename}"
            depth = place.depth + len(path.parts)
            found.append(Place(name, place.path, assignment, exact, depth, entry.filename, saved))
    if not found:
        there = [e.filename for e in entries]
        return [_with(place, f"{_no_notebook(there)} in the zip file")]
    return found


def _with(place: Place, problem: str) -> Place:
    return Place(
        place.name, place.path, place.assignment, place.exact, place.depth, problem=problem
    )

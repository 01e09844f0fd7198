"""Finds a class's submissions in a folder, and reads each one once.

Three layouts: nbgrader's `STUDENT/ASSIGNMENT/*.ipynb`, flat (`STUDENT.ipynb`,
`STUDENT_a1.ipynb`, `STUDENT/*.ipynb`), and a zip file a student in place of any folder.
Nothing is ever extracted to disk.
"""

from __future__ import annotations

import datetime
import io
import lzma
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from . import handed_in
from .handed_in import HandedIn
from .judge.notebook_file import MAX_BYTES

# Files by which a submission might try to change how it is graded; none of them is ever used.
IGNORED_TRICKS = frozenset(
    "conftest.py pytest.ini tox.ini setup.cfg pyproject.toml sitecustomize.py usercustomize.py "
    "numpy.py torch.py random.py gradebook.db".split()
)
MAX_ZIP_ENTRIES = 1_000
# what Python raises for an archive that is damaged, encrypted or made to mislead
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    RuntimeError,
    EOFError,
    ValueError,
)
MAX_ZIP_BYTES = MAX_BYTES + handed_in.MAX_TOTAL
LINKED = "is a symbolic link: submit the file itself"


class SubmissionsError(Exception):
    """Nothing can be graded: what was given, and what to do."""


@dataclass(frozen=True)
class Submission:
    """One notebook of one student, or the reason why there is none."""

    student: str
    assignment: str
    file: str  # as the instructor sees it
    data: bytes = b""
    received: datetime.datetime | None = None
    problem: str = ""
    notices: list[str] = field(default_factory=list)
    beside: HandedIn = HandedIn()

    def files(self) -> tuple[dict[str, bytes], str]:
        """What was handed in beside the notebook; or nothing, and why."""
        try:
            return self.beside.read(), ""
        except (handed_in.TooLarge, *UNREADABLE) as error:
            return {}, str(error)

    @property
    def sha256(self) -> str:
        """Of the notebook and of every file beside it."""
        return handed_in.digest(self.data, self.files()[0])


def find(folder: Path, assignments: list[str]) -> list[Submission]:
    """Every submission below `folder`, by student and assignment.

    Raises SubmissionsError when the folder is missing, unreadable or holds no submission.
    """
    if not folder.exists():
        raise SubmissionsError(f"{folder}: there is no such folder; give the submissions' folder")
    if not folder.is_dir():
        raise SubmissionsError(f"{folder}: is a file; give the folder that holds the submissions")
    try:
        entries = sorted(p for p in folder.iterdir() if not p.name.startswith("."))
    except OSError as error:
        raise SubmissionsError(f"{folder}: cannot be read ({error.strerror})") from None
    found: list[Submission] = []
    for entry in entries:
        found += _of_student(entry, assignments)
    if not found:
        raise SubmissionsError(
            f"{folder}: no notebook in it; wanted STUDENT/ASSIGNMENT/*.ipynb, STUDENT.ipynb "
            "or STUDENT.zip"
        )
    return sorted(found, key=lambda s: (s.student, s.assignment))


def _of_student(entry: Path, assignments: list[str]) -> Iterator[Submission]:
    if entry.is_symlink():
        yield _broken(entry.stem, "", entry, LINKED)
    elif entry.suffix == ".ipynb":
        student, assignment = _split_name(entry.stem, assignments)
        yield _read(student, assignment, entry)
    elif entry.suffix == ".zip":
        student, assignment = _split_name(entry.stem, assignments)
        yield from _from_zip(student, assignment, entry, assignments)
    elif entry.is_dir():
        folders = [entry / a for a in assignments if (entry / a).is_dir()]
        for folder in folders:
            if folder.is_symlink():
                yield _broken(entry.name, folder.name, folder, LINKED)
            else:
                yield _from_folder(entry.name, folder.name, folder)
        if not folders:
            yield from _from_student_folder(entry, assignments)


def _from_student_folder(folder: Path, assignments: list[str]) -> Iterator[Submission]:
    """`STUDENT/a1.ipynb` and `STUDENT/a1.zip`: one file an assignment."""
    files = sorted(p for p in folder.iterdir() if p.suffix in (".ipynb", ".zip"))
    by_assignment: dict[str, list[Path]] = {}
    for path in files:
        by_assignment.setdefault(_split_name(path.stem, assignments)[1], []).append(path)
    for assignment, paths in by_assignment.items():
        if len(paths) > 1:
            names = ", ".join(path.name for path in paths)
            yield _broken(folder.name, assignment, folder, f"two notebooks ({names}): leave one")
        elif paths[0].suffix == ".zip":
            yield from _from_zip(folder.name, assignment, paths[0], assignments)
        else:
            found = _read(folder.name, assignment, paths[0], _tricks(folder))
            yield replace(found, beside=handed_in.beside(folder))


def _from_folder(student: str, assignment: str, folder: Path) -> Submission:
    notebooks = sorted(folder.glob("*.ipynb"))
    archives = sorted(folder.glob("*.zip"))
    if len(notebooks) > 1:
        named = [path for path in notebooks if path.stem == assignment]
        if len(named) != 1:
            names = ", ".join(path.name for path in notebooks)
            return _broken(
                student, assignment, folder, f"{len(notebooks)} notebooks ({names}): leave one"
            )
        notebooks = named
    if not notebooks and len(archives) == 1:
        return next(_from_zip(student, assignment, archives[0], [assignment]))
    if not notebooks:
        return _broken(student, assignment, folder, "no notebook in the folder: submit an .ipynb")
    found = _read(student, assignment, notebooks[0], _tricks(folder))
    return replace(found, beside=handed_in.beside(folder))


def _tricks(folder: Path) -> list[str]:
    found = sorted({p.name for p in folder.rglob("*")} & IGNORED_TRICKS)
    return [f"`{name}` was submitted too; it is not used" for name in found]


def _read(
    student: str,
    assignment: str,
    path: Path,
    notices: list[str] | None = None,
    most: int = MAX_BYTES,
) -> Submission:
    """Read the bytes once: what is hashed is what is graded."""
    if path.is_symlink():
        return _broken(student, assignment, path, LINKED)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
            seconds = path.stat().st_mtime
    except OSError as error:
        return _broken(student, assignment, path, f"cannot be read ({error.strerror})")
    received = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return Submission(student, assignment, str(path), data, received, notices=notices or [])


def _from_zip(
    student: str, assignment: str, path: Path, assignments: list[str]
) -> Iterator[Submission]:
    """The notebooks in a zip file, read in memory; paths in it are names, never places."""
    whole = _read(student, assignment, path, most=MAX_ZIP_BYTES)
    if whole.problem:
        yield whole
        return
    try:
        with zipfile.ZipFile(io.BytesIO(whole.data)) as archive:
            entries = archive.infolist()
            problem = _zip_problem(entries)
            notebooks = [e for e in entries if _is_notebook(e.filename)]
            names = {PurePosixPath(e.filename).name for e in entries}
            tricks = [f"`{n}` was submitted too; it is not used" for n in names & IGNORED_TRICKS]
            by_assignment: dict[str, list[zipfile.ZipInfo]] = {}
            for entry in notebooks:
                place = assignment or _place(entry.filename, assignments)
                by_assignment.setdefault(place, []).append(entry)
            if problem or not notebooks:
                yield _broken(student, assignment, path, problem or "no notebook in the zip file")
                return
            for place, found in by_assignment.items():
                if len(found) > 1:
                    listed = ", ".join(e.filename for e in found)
                    yield _broken(student, place, path, f"two notebooks ({listed}): leave one")
                    continue
                with archive.open(found[0]) as file:
                    data = file.read(MAX_BYTES + 1)
                name = f"{path}:{found[0].filename}"
                beside = handed_in.inside(path, (e.filename for e in entries))
                told = sorted(tricks)
                yield Submission(student, place, name, data, whole.received, "", told, beside)
    except UNREADABLE as error:
        yield _broken(student, assignment, path, f"is not a readable zip file ({error})")


def _zip_problem(entries: list[zipfile.ZipInfo]) -> str:
    if len(entries) > MAX_ZIP_ENTRIES:
        return f"the zip file has {len(entries)} entries, more than {MAX_ZIP_ENTRIES}"
    for entry in entries:
        path = PurePosixPath(entry.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts:
            return f"the zip file names a path outside itself ({entry.filename[:80]!r})"
        if stat.S_ISLNK(entry.external_attr >> 16):
            return f"the zip file holds a symbolic link ({entry.filename[:80]!r})"
        if _is_notebook(entry.filename) and entry.file_size > MAX_BYTES:
            return f"{entry.filename[:80]!r} unpacks to more than {MAX_BYTES // 2**20} MiB"
    return ""


def _is_notebook(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return path.suffix == ".ipynb" and not hidden


def _place(name: str, assignments: list[str]) -> str:
    path = PurePosixPath(name)
    for part in reversed(path.parts[:-1]):
        if part in assignments:
            return part
    return _split_name(path.stem, assignments)[1]


def _split_name(stem: str, assignments: list[str]) -> tuple[str, str]:
    """ "ada_a1" or "a1-ada" → ("ada", "a1"); a name alone leaves the assignment open."""
    for assignment in assignments:
        for mark in ("_", "-", " "):
            if stem.lower().endswith(mark + assignment):
                return stem[: -len(assignment) - 1], assignment
            if stem.lower().startswith(assignment + mark):
                return stem[len(assignment) + 1 :], assignment
        if stem.lower() == assignment:
            return stem, assignment
    return stem, ""


def _broken(student: str, assignment: str, path: Path, problem: str) -> Submission:
    return Submission(student, assignment, str(path), problem=problem)

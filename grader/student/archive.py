"""The archive to submit: the notebook, and in `submission/` the files that the assignment names."""

import contextlib
import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ..course.assignment import Assignment
from ..course.problem import Problem
from ..course.submission_folder import FOLDER
from . import work
from .work import Work

MAX_OUTPUTS = 4 * 2**20  # bytes of a notebook; a larger one goes without its largest outputs
MAX_BESIDE = 20  # notebooks in one folder that are looked at
_DATE = (1980, 1, 1, 0, 0, 0)  # of every entry, so that the same work gives the same bytes


@dataclass(frozen=True)
class Archive:
    """An archive's bytes, its entries with their sizes, and what was left out and why."""

    data: bytes
    entries: dict[str, int]
    left_out: list[str] = field(default_factory=list)


def read(assignment: Assignment, given: Path | None) -> Work:
    """The notebook to submit; see `MAX_OUTPUTS`. Raises Problem."""
    return work.read(assignment, given, MAX_OUTPUTS)


def pack(found: Work) -> Archive:
    """Make the archive in memory. Raises Problem if the grader would refuse its files."""
    slimmer = []
    if saved := found.path.stat().st_size - len(found.data):
        slimmer.append(f"the notebook's largest outputs, {size(saved)}: no test reads them")
    contents = {f"{found.assignment.id}.ipynb": found.data, **_contents(found)}
    return _zipped(contents, [*slimmer, *_refused(found)])


def without_notebook(found: Work) -> Archive:
    """The archive's files alone. Raises Problem as `pack` does."""
    return _zipped(_contents(found), _refused(found))


def _contents(found: Work) -> dict[str, bytes]:
    total = sum(path.stat().st_size for path in found.files.values())
    if total > found.assignment.most:
        raise Problem(
            f"the files beside {found.path.name} have {size(total)}, more than "
            f"{size(found.assignment.most)}: train a smaller model"
        )
    contents = {}
    for name, path in found.files.items():
        try:
            contents[f"{FOLDER}/{name}"] = path.read_bytes()
        except OSError as error:
            raise Problem(f"{path}: cannot be read ({error.strerror})") from None
    return contents


def _zipped(contents: dict[str, bytes], left_out: list[str]) -> Archive:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return Archive(made.getvalue(), {name: len(data) for name, data in contents.items()}, left_out)


def _refused(found: Work) -> list[str]:
    """The files in `submission` next to the notebook that are left out, each with the reason."""
    folder = found.path.parent / FOLDER
    if folder.is_symlink() or not folder.is_dir():
        return [f"{FOLDER}: is a link, not a folder"] if folder.is_symlink() else []
    reasons = []
    for path in sorted(folder.iterdir()):
        if path.name in found.files and path == found.files[path.name]:
            continue
        if path.name in found.assignment.files:
            why = "is a link: put the file itself there" if path.is_symlink() else "is not a file"
        else:
            why = f"the grader reads no such file for {found.assignment.id}"
        reasons.append(f"{FOLDER}/{path.name}: {why}")
    return reasons


def more_beside(found: Work) -> list[str]:
    """Names a notebook beside this one in which more of the assignment is written."""
    names = {name for exercise in found.assignment.exercises for name in exercise.names}
    written = {found.path.name: len(found.collected.written & names)}
    for path in sorted(found.path.parent.glob("*.ipynb"))[:MAX_BESIDE]:
        if path != found.path and path.is_file():
            with contextlib.suppress(Problem):
                other = work.read(found.assignment, path, MAX_OUTPUTS)
                written[path.name] = len(other.collected.written & names)
    best, own = max(written, key=lambda name: written[name]), written[found.path.name]
    if written[best] == own:
        return []
    return [
        f"{found.path.name} has {own} of the {len(names)} graded definitions, {best} beside it has "
        f"{written[best]}; to submit that one: student submit {found.assignment.id} {best!r}"
    ]


def size(count: int) -> str:
    """A number of bytes to read: "12.1 MiB"."""
    if count < 2**10:
        return f"{count} bytes"
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"

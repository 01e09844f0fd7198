"""Makes a release, proves it, and only then puts it where it belongs."""

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import Course

from ...course.problem import Problem
from . import changes, contents, folder, imports, proof, running, secrets
from .changes import ReleaseError
from .contents import Files
from .git_branch import Branch
from .running import Run

ANSWERS = "Model answers"  # the name of a release of nothing else


class LeakError(Problem):
    """A finished release that holds what students must not have; the message lists every place."""

    exit_code = 1


class BrokenError(Problem):
    """A finished release that would not work for students; the message lists every place."""

    exit_code = 1


@dataclass(frozen=True)
class Made:
    """The result of a release."""

    files: int
    new: bool  # whether anything changed
    answers: list[str]
    zip: Path | None = None
    runs: Sequence[Run] = ()  # of its notebooks


def week(
    course: Course,
    number: int,
    answers: Collection[str],
    to: Path,
    branch: str,
    zip: bool,
    lectures: bool = True,
) -> Made:
    """Release a week; `answers` are the assignments whose answers may be out.

    Without `lectures`, their pages are left out. Raises BuildError, LeakError and ReleaseError;
    then nothing was written.
    """
    there = [one.id for one in contents.in_week(course, number, answers)]
    out = [id for id in there if id in answers]
    place = _Place(to, branch, zip)
    files = contents.of_week(course, number, out, lectures)
    place.finish(files, f"Week {number}", out)
    check_imports(files, contents.for_lectures(course, files, there))
    with ThreadPoolExecutor(1) as beside:  # kernels run while the proof reads
        runs = beside.submit(running.run_all, place.files)
        allowed = contents.of_library(course, contents.in_week(course, number, out), out)
        prove(course, {**place.files, **files}, out, allowed)
    return place.write(runs.result())


def self_study(course: Course, to: Path, branch: str, zip: bool, lectures: bool = True) -> Made:
    """Release everything, for readers without an instructor. Raises BuildError, ReleaseError."""
    place = _Place(to, branch, zip)
    ids = [a.id for a in course.assignments]
    files = contents.opened(course, lectures)
    place.finish(files, "Self-study", ids)
    check_imports(files, contents.for_lectures(course, files, ids))
    return place.write(running.run_all(place.files))


def answers(
    course: Course, id: str, out: Collection[str], to: Path, branch: str, lectures: bool = True
) -> Made:
    """Release the model answers of one assignment, which must be in `out`.

    Into an empty folder go the answers alone; a release of a week there is renewed with them.
    """
    place = _Place(to, branch, zip=False)
    before = place.before
    if before is None or before.name == ANSWERS:
        have = sorted({id, *(before.answers if before else [])})
        files: Files = {}
        for one in have:
            files |= contents.solution(course.assignment(one), contents.SOLUTIONS)
        place.finish(files, ANSWERS, have)
        prove(course, place.files, have)
        return place.write()
    number = before.name.removeprefix("Week ")
    if not number.isdigit():
        raise ReleaseError(
            f"{to}: has a release for self-study, which includes all answers already"
        )
    return week(course, int(number), {id, *out}, to, branch, False, lectures)


def prove(
    course: Course, files: Files, out: Collection[str], allowed: Collection[str] = ()
) -> None:
    """Raises LeakError if a finished tree holds anything hidden.

    `allowed` are the files of the library that students may have, in the tree or not.
    """
    files = {name: data for name, data in files.items() if not _is_of_site(name)}
    libraries = course.facts.libraries
    modules = {name for name in [*files, *allowed] if name.partition("/")[0] in libraries}
    hidden = proof.marks(secrets.of(course, out, modules), secrets.public(course, out, modules))
    leaks = [*proof.find(files, hidden), *proof.unexcused(course, files, out)]
    if leaks:
        raise LeakError(_listed(leaks))


def check_imports(files: Files, beside: Collection[str] = ()) -> None:
    """Raises BrokenError if code of a finished tree needs what the tree lacks.

    Code `beside` the assignments may need packages that are not in requirements.txt.
    """
    if faults := imports.faults(files, f"{contents.AFTER}/", beside):
        raise BrokenError(_listed(faults))


def _listed(found: Sequence[object]) -> str:
    more = [f"and {len(found) - 20} more"] if found[20:] else []
    return "\n".join([*map(str, found[:20]), *more, "nothing was released"])


def _is_of_site(name: str) -> bool:
    """Whether a file only serves the pages of the lectures: a font, a picture, a script."""
    parts = name.split("/")
    return parts[0] == contents.LECTURES and not {"_static", "_images"}.isdisjoint(parts)


class _Place:
    """Where a release goes: a folder or a branch, and perhaps a zip beside it."""

    def __init__(self, to: Path, branch: str, zip: bool) -> None:
        self.to, self.files = to, Files()
        self.branch = Branch(to, branch) if branch else None
        self.zip = folder.zip_path(to) if zip else None
        there = self.branch.files() if self.branch else folder.read(to)
        where = f"{to}, branch {branch}" if branch else str(to)
        self.before, self.changelog = changes.previous(there, where)
        self.there = there

    def finish(self, files: Files, name: str, out: list[str]) -> None:
        files = folder.with_packed_grader(files)
        self.files = changes.finished(files, name, out, self.before, self.changelog)
        self.name, self.out = name, out

    def write(self, runs: Sequence[Run] = ()) -> Made:
        """Put the files where they go. Raises BrokenError instead if a notebook does not run."""
        if faults := [fault for run in runs for fault in run.faults]:
            raise BrokenError(_listed(faults))
        new = self.files != self.there
        if self.zip:
            data = folder.packed(self.files)
            folder.write_zip(data, self.zip)
        if self.branch:
            self.branch.commit(self.files, self.name)
        elif new:
            folder.write(self.files, self.to)
        return Made(len(self.files), new, self.out, self.zip, runs)

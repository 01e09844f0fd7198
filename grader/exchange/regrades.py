"""Regrade requests in a download of a learning platform: whose they are, and which can be taken."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..classroom import regrade_file
from ..classroom.roster import Roster
from ..course.course import Course
from ..gradebook import answers, manual
from ..gradebook.manual import Item
from ..gradebook.result import Result
from ..intake import download_names, notebook_paths, plain_files
from ..intake.class_folder import SubmissionsError


@dataclass(frozen=True)
class Found:
    """One file: what it asks for, or why it is not taken."""

    file: str
    student: str = ""
    item: Item | None = None
    reason: str = ""
    problem: str = ""


def collected(
    folder: Path, course: Course, roster: Roster, results: Sequence[Result]
) -> list[Found]:
    """Every file that is named as a request, by its path. Raises SubmissionsError."""
    newest = {(result.student, result.assignment): result for result in results}
    found, taken = list[Found](), set[Item]()
    for student, path in _files(folder, course, roster):
        one = _found(student, path, path.relative_to(folder).as_posix(), course, newest)
        if one.item in taken:
            one = Found(one.file, student, problem="is a second request about the same item")
        if one.item:
            taken.add(one.item)
        found.append(one)
    if not found:
        raise SubmissionsError(
            f"{folder}: it contains no request; expected STUDENT/regrade-a1-1.2.txt from the form "
            "on a "
            "feedback page, or a download of Canvas or Moodle with such files"
        )
    return found


def _files(folder: Path, course: Course, roster: Roster) -> Iterator[tuple[str, Path]]:
    """Files that may be requests, each with the student whose folder it is in; "" if unknown."""
    if not folder.is_dir():
        raise SubmissionsError(f"{folder}: there is no such folder; give that of the requests")
    ids = [assignment.id for assignment in course.assignments]
    for path in sorted(p for p in folder.iterdir() if not p.name.startswith((".", "__MACOSX"))):
        is_folder = path.is_dir() and not path.is_symlink()
        download = download_names.recognized(path.name, is_folder, roster)
        owner = path.name if is_folder and not download else ""
        if download:  # nobody speaks for a group
            members = [*download.students(roster)]
            owner = members[0] if len(members) == 1 else ""
        elif is_folder and (student := download_names.by_other_name(path.name, ids, roster)):
            owner = student.id
        for file in notebook_paths.walk(path)[0] if is_folder else [path]:
            if regrade_file.is_named(file.name):
                yield owner, file


def _found(
    student: str,
    path: Path,
    file: str,
    course: Course,
    newest: Mapping[tuple[str, str], Result],
) -> Found:
    try:
        with plain_files.opened(path) as opened:
            said = regrade_file.read(opened.read(regrade_file.MAX_BYTES + 1))
        if not student:
            raise ValueError(
                f"is in no student's folder, and names {said.student!r}: if that is right, put it "
                "into a folder of that name"
            )
        result = newest.get((student, said.assignment))
        if result is None:
            raise ValueError(f"{student} has no grade of {said.assignment!r}")
        _check(result, said, course)
    except OSError as error:
        return Found(file, student, problem=f"cannot be read ({error.strerror})")
    except (ValueError, plain_files.RefusedError) as error:
        return Found(file, student, problem=str(error))
    return Found(file, student, (student, said.assignment, said.item), said.reason)


def _check(result: Result, said: regrade_file.RegradeFile, course: Course) -> None:
    """Raises ValueError if the result has no such item with points, or another answer now."""
    try:
        manual.points_of(course.assignment(said.assignment), said.item)
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    points = {item.id: item.points for item in result.items}
    if points.get(said.item) is None:
        raise ValueError(f"asks about {said.item}, which has no points yet")
    now = answers.sha256_of(result, said.item)
    if now is None or not now.startswith(said.answer):
        raise ValueError(f"asks about another answer to {said.item} than the one graded now")

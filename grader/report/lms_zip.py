"""Feedback files in a zip, named as a learning platform needs to give each to its student.

Moodle takes the zip at "Upload multiple feedback files in a zip" (the assignment needs the feedback
type "Feedback files"). It finds the student by the number in a folder's name,
`Full Name_NUMBER_assignsubmission_file_`, which is that of "Participant NUMBER" in the assignment's
grading worksheet and differs between assignments. It is taken from the submission if that came from
Moodle's download, else from the roster's column `moodle`.

Canvas takes the zip at "Upload submissions" and adds each file as a comment to its submission. It
finds that by two numbers in the file's name, `name_USER_FILE_a1.ipynb`: the student's and that of
the submitted file. Only Canvas's own download has the second, so the submissions must have been
graded under the names of that download.
"""

import hashlib
import io
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Collection, Mapping

from ..classroom.names import composed, orders
from ..classroom.roster import Student
from ..course.visible import visible

_NAMES = {  # of downloaded submissions
    "moodle": re.compile(r"(?P<name>[^_/]+)_(?P<number>\d+)_assignsubmission_file(?:_|$)"),
    "canvas": re.compile(
        r"(?P<name>[^/]+?)(?:_LATE)?"
        r"_(?P<number>\d+|(?<=anon_)\w{5}|(?<=anon_LATE_)\w{5})_\d+(?=_|$|\.)"
    ),
}
_PARTICIPANT = re.compile(r"(?:Participant )?(\d+)", re.IGNORECASE)
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is made


def moodle_name(submitted: str, student: Student, assignment: str) -> str | None:
    """The name of a student's page in the zip; None if Moodle's number is unknown.

    `submitted` is the path of the submission as it was graded.
    """
    page = f"{assignment}-feedback.html"
    if found := _downloaded("moodle", submitted, student):
        return f"{found['name']}_{found['number']}_assignsubmission_file_/{page}"
    entered = _PARTICIPANT.fullmatch(student.names.get("moodle", "").strip())
    if entered is None:
        return None
    # an underscore in a name would move the number, which Moodle expects after the first
    name = re.sub(r'[_/\\:*?"<>|\x00-\x1f]+', " ", student.shown).strip(" .") or "Participant"
    return f"{name}_{entered[1]}_assignsubmission_file_/{page}"


def canvas_name(submitted: str, student: Student, assignment: str) -> str | None:
    """The name of a student's page in the zip; None if the submission has not Canvas's name.

    `submitted` is the path of the submission as it was graded.
    """
    found = _downloaded("canvas", submitted, student)
    return f"{found[0]}_{assignment}-feedback.html" if found else None


def number(submitted: str, student: Student, system: str) -> str | None:
    """The platform's number of the student, if the submission came with it; else None.

    `submitted` is the path of the submission as it was graded, `system` is moodle or canvas.
    """
    found = _downloaded(system, submitted, student)
    return found["number"] if found else None


def _downloaded(system: str, submitted: str, student: Student) -> re.Match[str] | None:
    """The platform's name for a submission, if the student cannot have chosen it.

    Inside a student's own folder any name may be found, even that of somebody else.
    """
    for part in re.split(r"[/\\:]", submitted):
        if (found := _NAMES[system].match(part)) and _is_of(student, found, system):
            return found
        if composed(part).startswith(composed(student.id)):
            break
    return None


def _is_of(student: Student, found: re.Match[str], system: str) -> bool:
    """Whether grades go by this very name, or the roster has its number or its words."""
    own = found.re.match(student.id)
    if student.id.startswith(found[0].rstrip("_")) or (own and own["number"] == found["number"]):
        return True
    entered = student.names.get(system, "").casefold()
    if system == "canvas" and entered.isdecimal():  # the same in the whole course
        return found["number"] == entered
    named = composed(found["name"]).casefold()
    return entered in (found["number"], named) or bool(orders(named) & orders(student.name))


def packed(pages: Mapping[str, str]) -> bytes:
    """A zip of these pages by name, sorted: the same pages always give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(pages.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # as on Unix, wherever it is made
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, text.encode("utf-8"))
    return out.getvalue()


_PLAIN = re.compile(r"""[^\s./\\:*?"<>|-][^/\\:*?"<>|\x00-\x1f]{0,79}(?<![. ])""")


def folder_names(students: Collection[str]) -> dict[str, str]:
    """The student's own name, or a similar one with a hash if a file system could mistake it.

    That is so for `..`, for names with a slash or a colon, and for `Ada` beside `ada`.
    """
    counts = Counter(map(_folded, students))
    plain = {
        name
        for name in students
        if _PLAIN.fullmatch(name) and visible(name) == name and counts[_folded(name)] == 1
    }
    return {name: name if name in plain else _hashed(name) for name in students}


def _folded(name: str) -> str:
    """Equal for names that some file systems take for the same."""
    return unicodedata.normalize("NFC", name).casefold()


def _hashed(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    similar = re.sub(r"[^\w]+", "-", visible(name)).strip("-")[:40]
    return f"{similar}-{digest}" if similar else digest

"""The names that learning platforms give to downloads, and the students they belong to.

Canvas      lovelaceada_LATE_12345_67890_a1.ipynb        a user's id; _LATE_ only if it was
            anon_7gKqP_67890_a1.ipynb, LATE_anon_…       graded anonymously
            group1_12345_67890_a1.ipynb                  a group's, and the id of one member
Moodle      Ada Lovelace_123456_assignsubmission_file_   a folder, or the start of a file's name
            Team 1_17_assignsubmission_file_             a group's; Moodle's own has no number
Gradescope  submission_123456789                         a folder; see `gradescope`
GitHub      a1-ada-l, self-attention-ada-l, a1-ada-l-1   a folder of GitHub Classroom
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..classroom.names import composed, orders
from ..classroom.roster import Roster, Student
from . import notebook_paths

_CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)")
_CANVAS_LONG = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)")
_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?anon(?P<later>_LATE)?_(?P<id>[A-Za-z0-9]{5})_\d+_(?P<file>.+)"
)
_MOODLE = re.compile(
    r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?"
)
_AGAIN = re.compile(r"-(\d{1,4})(?=\.[^.]*$|$)")  # "a1-2.ipynb": the third upload of a1.ipynb
_GRADESCOPE = re.compile(r"submission_\d+")
_COLLISION = re.compile(r"-\d+$")  # GitHub Classroom adds it to a name that is taken


@dataclass(frozen=True)
class Download:
    """The facts in the name of a download. `ids` may be in the roster's column of the system."""

    system: str
    ids: tuple[str, ...]
    name: str = ""  # the student's full name
    email: str = ""
    file: str = ""  # what the student called the file
    late: bool | None = None  # None: the platform does not mark what is late
    anonymous: bool = False
    is_text: bool = False  # what was typed into Moodle, beside the files

    @property
    def number(self) -> str:
        """The part that tells this student from another of the same name on the platform."""
        return self.ids[0]

    @property
    def account(self) -> tuple[str, ...]:
        """The part that all downloads of one person have in common."""
        return self.system, *self.ids

    @property
    def uploaded(self) -> tuple[str, int]:
        """The student's name for the file, and Canvas's number if it was handed in again."""
        again = _AGAIN.search(self.file) if self.system == "canvas" else None
        if again is None:
            return self.file, 0
        return self.file[: again.start()] + self.file[again.end() :], int(again[1])

    def students(self, roster: Roster) -> dict[str, bool]:
        """Its students, by id, and whether each is known by the name alone; of a group, all.

        A student is found by id, or else by email or full name if only one has it. Students can
        often change their names, so a name counts only for a student of whom the roster has no id
        in this system; Moodle's ids are of one assignment.
        """
        by_id = next(filter(None, (roster.called(self.system, id) for id in self.ids)), None)
        if group := roster.grouped(self.name):
            return dict.fromkeys([s.id for s in (*group, *filter(None, [by_id]))], False)
        if found := by_id or roster.with_email(self.email):
            return {found.id: False}
        found = roster.named(self.name)
        if found is None or (self.system != "moodle" and self.system in found.names):
            return {}
        return {found.id: True}

    def misnamed(self, student: Student) -> bool:
        """Whether no word of the student's name is in that of the download."""
        words = {word for order in orders(student.name, " ") for word in order.split()}
        mine = "".join(orders(self.name))
        return bool(self.name and words) and not any(word in mine for word in words)


def recognized(name: str, is_folder: bool, roster: Roster) -> Download | None:
    """The facts in a name in the class's folder; None if no platform gives such names."""
    if found := _MOODLE.fullmatch(name):
        ids = tuple(filter(None, (found["id"], found["name"])))
        text = found["kind"] == "onlinetext"
        return Download("moodle", ids, found["name"], file=found["file"] or "", is_text=text)
    if is_folder:
        return Download("gradescope", (name,)) if _GRADESCOPE.fullmatch(name) else None
    found = _ANONYMOUS.fullmatch(name)
    if found and not found["id"].isdigit():
        late = bool(found["late"] or found["later"])
        return Download("canvas", (found["id"],), file=found["file"], late=late, anonymous=True)
    found = _CANVAS.fullmatch(name)
    if found is None:  # a name with underscores, if the number is known
        found = _CANVAS_LONG.fullmatch(name)
        if found is None or not roster.called("canvas", found["id"]):
            return None
    ids, late = (found["id"], found["name"]), bool(found["late"])
    return Download("canvas", ids, found["name"], file=found["file"], late=late)


def is_upload(name: str, roster: Roster) -> bool:
    """Whether a platform gave a file this name, which a student handed in."""
    found = recognized(name, False, roster)
    return found is not None and bool(found.file) and not found.is_text


def by_other_name(name: str, assignments: Sequence[str], roster: Roster) -> Student | None:
    """The student whose folder or file has their name on nbgrader or GitHub, as in a1-NAME."""
    for own in (name, composed(name)):
        if own in roster:
            return roster.student(own)
    alone = notebook_paths.split_name(name, assignments)[0]
    called = [roster.called("nbgrader", name), roster.called("github", name)]
    return next(filter(None, [*called, roster.called("github", alone)]), None)


def logins(name: str, assignments: Sequence[str], slugs: Sequence[str]) -> list[str]:
    """Possible logins of a repository's owner, the likeliest first."""
    alone = notebook_paths.split_name(name, assignments)[0]
    return [*(name[len(slug) :] for slug in slugs if name.startswith(slug)), alone]


def by_number(login: str, roster: Roster) -> Student | None:
    """The owner of `bmandel-1`: GitHub Classroom adds a number to a name that is taken."""
    return roster.called("github", _COLLISION.sub("", login))


def slugs(names: Sequence[str]) -> list[str]:
    """How the repositories of an assignment may begin, with the hyphen: what all names share."""
    if len(names) < 2:
        return []
    shared = os.path.commonprefix([*names])
    return [shared[: n + 1] for n in reversed(range(len(shared))) if shared[n] == "-"]

"""The names that learning platforms give to downloads, and the students they belong to.

Canvas      lovelaceada_LATE_12345_67890_a1.ipynb        a user's id; _LATE_ only if it was
Moodle      Ada Lovelace_123456_assignsubmission_file_   a folder, or the start of a file's name
Gradescope  submission_123456789                         a folder; see `gradescope`
GitHub      a1-ada-l                                     a folder of GitHub Classroom
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..classroom.roster import Roster, Student, composed
from . import places

_CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)")
_MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?"
)
_AGAIN = re.compile(r"-(\d{1,4})(?=\.[^.]*$|$)")  # "a1-2.ipynb": the third upload of a1.ipynb
_GRADESCOPE = re.compile(r"submission_\d+")


@dataclass(frozen=True)
class Download:
    """What the name of a download says. `ids` may stand in the roster's column of the system."""

    system: str
    ids: tuple[str, ...]
    name: str = ""  # the student's full name
    email: str = ""
    file: str = ""  # what the student called the file
    late: bool = False

    @property
    def on_time(self) -> bool:
        """Whether the platform marks what is late, and did not mark this."""
        return self.system == "canvas" and not self.late

    @property
    def uploaded(self) -> tuple[str, int]:
        """What the student called the file, and Canvas's number if it was handed in again."""
        again = _AGAIN.search(self.file) if self.system == "canvas" else None
        if again is None:
            return self.file, 0
        return self.file[: again.start()] + self.file[again.end() :], int(again[1])

    def student(self, roster: Roster) -> Student | None:
        """The student by id, or else by email or full name if only one has it.

        Students can often change their names, so a name counts only for a student of whom the
        roster has no id in this system; Moodle's ids are of one assignment.
        """
        if found := next(filter(None, (roster.called(self.system, id) for id in self.ids)), None):
            return found
        found = roster.with_email(self.email) or roster.named(self.name)
        known = found is not None and self.system != "moodle" and self.system in found.names
        return None if known else found


def recognized(name: str, is_folder: bool) -> Download | None:
    """What a name in the class's folder says; None if no platform gives such names."""
    if found := _MOODLE.fullmatch(name):
        ids = (found["id"], found["name"])
        return Download("moodle", ids, found["name"], file=found["file"] or "")
    if is_folder:
        return Download("gradescope", (name,)) if _GRADESCOPE.fullmatch(name) else None
    if found := _CANVAS.fullmatch(name):
        ids, late = (found["id"], found["name"]), bool(found["late"])
        return Download("canvas", ids, found["name"], file=found["file"], late=late)
    return None


def is_upload(name: str) -> bool:
    """Whether a platform gave a file this name, which a student handed in."""
    found = recognized(name, is_folder=False)
    return found is not None and bool(found.file) and "_onlinetext_" not in name


def by_other_name(name: str, assignments: Sequence[str], roster: Roster) -> Student | None:
    """The student whose folder or file has their name on nbgrader or GitHub, as in a1-NAME."""
    alone = places.split_name(name, assignments)[0]
    for own in (name, composed(name)):
        if own in roster:
            return roster.student(own)
    called = [roster.called("nbgrader", name), roster.called("github", name)]
    return next(filter(None, [*called, roster.called("github", alone)]), None)

"""Lists of a class as other systems export them, read as a roster.

GitHub Classroom's roster, Moodle's participants, and Canvas's gradebook.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from .csv_file import Row

NAME = "first name", "last name"  # Moodle's
NOBODY = "", "points possible", "student, test"  # rows of Canvas's gradebook


@dataclass(frozen=True)
class ForeignList:
    """The columns by which a list is known, ours with theirs, and the rows that are students."""

    needed: Collection[str]
    columns: dict[str, tuple[str, ...]]  # ours: of several of theirs, the first that is there
    is_student: Callable[[Row], bool] = lambda row: True

    def ours(self, there: Collection[str]) -> dict[str, str]:
        """Each column of ours that can be filled, and theirs."""
        first = {
            ours: next((name for name in theirs if name in there), "")
            for ours, theirs in self.columns.items()
        }
        return {ours: name for ours, name in first.items() if name}

    def row(self, row: Row) -> Row | None:
        """The row with our columns; None for whoever is no student."""
        if not self.is_student(row):
            return None
        filled = {ours: row[theirs] for ours, theirs in self.ours(row).items()}
        if {*NAME} <= {*row}:
            filled["name"] = " ".join(row[part] for part in NAME).strip()
        return row | filled


LISTS = (
    ForeignList(
        ("identifier", "github_username"),
        {"student": ("student", "identifier"), "github": ("github_username",)},
    ),
    ForeignList(
        (*NAME, "email address"),
        {
            "student": ("student", "username", "email address"),
            "name": NAME,
            "email": ("email address",),
            "group": ("groups",),
        },
        lambda row: "student" in (row.get("roles") or "student").casefold(),
    ),
    ForeignList(
        ("student", "id", "sis login id"),
        {"student": ("sis login id",), "name": ("student",), "canvas": ("id",)},
        lambda row: row["student"].strip().casefold() not in NOBODY,
    ),
)


def recognized(columns: Collection[str]) -> ForeignList | None:
    """The list that has these columns; None for a roster of our own."""
    return next((one for one in LISTS if {*one.needed} <= {*columns}), None)

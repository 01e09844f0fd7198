"""Whose row is it? Students of a platform's table, found by the roster and by their own names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ..classroom.csv_file import CsvError
from ..classroom.roster import Roster, abridged
from ..gradebook.result import Result
from .kept_csv import KeptCsv


@dataclass(frozen=True)
class Matcher:
    """Finds the name that grades go by. `known`: everybody with a result or in the roster."""

    system: str  # a column of the roster
    roster: Roster
    known: Collection[str]

    def student(self, internal: str, others: Mapping[str, str]) -> str | None:
        """The student with this name inside the platform, or any of these others.

        The platform's internal number is only looked up in the roster's column; a login, an
        institution's number or an email may also be the name that grades go by.
        """
        for name in (internal, *others.values()):
            if found := self.roster.called(self.system, name.strip()):
                return found.id
        for name in others.values():
            if id := self._by_own_name(name.strip().casefold()):
                return id
        return None

    def has_left(self, shown: str, internal: str, others: Mapping[str, str]) -> bool:
        """Whether this is the row of somebody who has left the class."""
        past = Roster(self.roster.left)
        found = Matcher(self.system, past, self.roster.left).student(internal, others)
        return found is not None or past.named(shown) is not None

    def _by_own_name(self, name: str) -> str | None:
        if not name:
            return None
        for id in self.known:
            if name in (id.casefold(), self.roster.student(id).email.casefold()):
                return id
        return None


@dataclass
class Rows:
    """The row of each student, and the rows that belong to nobody known."""

    of: dict[str, int] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)

    @classmethod
    def found(
        cls, table: KeptCsv, system: str, rows: Iterable[tuple[int, str, str | None]]
    ) -> Rows:
        """From each row's number, name to show, and student. Raises CsvError for two of one."""
        made = cls()
        for row, shown, student in rows:
            if student is None:
                made.unmatched.append(f"line {table.lines[row]}: {shown}")
            elif student in made.of:
                raise CsvError([
                    f"{table.path}, line {table.lines[row]}: {student} is on line "
                    f"{table.lines[made.of[student]]} too: correct the roster's column {system}"
                ])  # fmt: skip
            else:
                made.of[student] = row
        return made


@dataclass
class FilledTable:
    """What an export into a platform's table did. Every list is sentences for the instructor."""

    text: str
    changed: int  # rows with a grade or an excuse
    unmatched: list[str]  # rows of the platform that belong to nobody known
    absent: list[str]  # students with a grade whom the platform's table does not have
    notes: list[str]


def unfinished(cells: Mapping[tuple[str, str], Result | None]) -> list[str]:
    """What to say of grades that may still change, or are none; by student and assignment.

    Whoever is excused is left out.
    """
    missing, failed, provisional = list[str](), list[str](), list[str]()
    for names, result in cells.items():
        if result is None:
            missing.append(" ".join(names))
        elif result.totals.excused:
            continue
        elif result.totals.total is None:
            failed.append(" ".join(names))
        elif result.totals.manual_pending:
            provisional.append(" ".join(names))
    many = "1 grade is" if len(provisional) == 1 else f"{len(provisional)} grades are"
    said = {
        f"{many} provisional (written parts not marked)": provisional,
        "no grade, nothing handed in": missing,
        "no grade, the grader failed": failed,
    }
    return [f"{what}: {abridged(names)}" for what, names in said.items() if names]

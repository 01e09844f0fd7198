"""Finds the rows of students in a platform's table by number, login, address or name."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..classroom.csv_file import CsvError
from ..classroom.roster import Roster, Student, abridged, orders
from ..gradebook.result import Result
from ..report import lms_zip
from .patched_csv import PatchedCsv


@dataclass(frozen=True)
class TableRow:
    """A person's row in a platform's table."""

    index: int
    number: str  # the platform's own number of the person
    name: str
    others: tuple[str, ...] = ()  # logins, addresses, numbers of the institution
    label: str = ""  # the number as the platform writes it: Participant 4711

    @property
    def shown(self) -> str:
        return f"{self.name} ({self.number})" if self.name else self.number


@dataclass(frozen=True)
class Matcher:
    """Finds the students of a table's rows. `results` are those that may be written into it."""

    system: str  # a column of the roster
    roster: Roster
    results: Sequence[Result]

    def rows(self, table: PatchedCsv, rows: Sequence[TableRow]) -> "Rows":
        """The row of each student. Raises CsvError if the roster gives one student two rows."""
        found = Rows()
        for row in rows:
            doubtful = self._contradicted(row)
            student = None if doubtful else self._by_number(row) or self._by_other(row)
            if student is None:
                found.unmatched.append(row)
            elif student in found.of:
                raise CsvError([
                    f"{table.path}, line {table.lines[row.index]}: {student} is on line "
                    f"{table.lines[found.of[student]]} too: correct the roster's column "
                    f"{self.system}"
                ])  # fmt: skip
            else:
                found.of[student] = row.index
        if self._handed_in and self._handed_in.keys().isdisjoint(row.number for row in rows):
            found.notes.append(
                "the file has none of the hand-ins' numbers: check that it belongs to this course "
                "and assignment"
            )
        for row in [*found.unmatched]:
            if student := self._by_name(row, rows, found):
                found.of[student] = row.index
                found.unmatched.remove(row)
        found.unmatched = [row for row in found.unmatched if not self._has_left(row)]
        return found

    @cached_property
    def _known(self) -> dict[str, None]:
        return {result.student: None for result in self.results} | dict.fromkeys(
            self.roster.students
        )

    @cached_property
    def _handed_in(self) -> dict[str, set[str]]:
        """The students whose hand-ins came with a number of the platform, by number."""
        found = defaultdict[str, set[str]](set)
        for result in self.results:
            student = self.roster.student(result.student)
            if number := lms_zip.number(result.submission.file, student, self.system):
                found[number].add(result.student)
        return found

    @cached_property
    def _ids(self) -> dict[str, list[str]]:
        """The names that grades go by, without case."""
        found = defaultdict[str, list[str]](list)
        for id in self._known:
            found[id.casefold()].append(id)
        return found

    def _contradicted(self, row: TableRow) -> bool:
        """Whether the number came with the hand-in of one student, and the roster has another's."""
        entered = self._entered(row)
        handed_in = self._handed_in.get(row.number, set())
        return entered is not None and any(id in self.roster for id in handed_in - {entered.id})

    def _entered(self, row: TableRow) -> Student | None:
        """The student whom the roster gives the number to."""
        called = (self.roster.called(self.system, name) for name in (row.number, row.label))
        return next(filter(None, called), None)

    def _by_number(self, row: TableRow) -> str | None:
        """The student whose hand-in came with the number, or whom the roster gives it to."""
        if entered := self._entered(row):
            return entered.id
        handed_in = self._handed_in.get(row.number, set())
        return next(iter(handed_in)) if len(handed_in) == 1 else None

    def _by_other(self, row: TableRow) -> str | None:
        """The student with the login, address or institution's number."""
        for name in filter(None, row.others):
            if found := self.roster.called(self.system, name) or self.roster.with_email(name):
                return found.id
            if len(same := self._ids.get(name.casefold(), [])) == 1:
                return same[0]
        return None

    def _has_left(self, row: TableRow) -> bool:
        """Whether this is the row of somebody who has left the class."""
        past = Matcher(self.system, Roster(self.roster.left), ())
        found = past._by_number(row) or past._by_other(row) or past.roster.named(row.name)
        return found is not None

    def _by_name(self, row: TableRow, rows: Sequence[TableRow], found: "Rows") -> str | None:
        """The only student with this name, if no other row has it and no number contradicts."""
        wanted = orders(row.name)
        if any(wanted & orders(other.name) for other in rows if other is not row):
            return None
        same = [id for id in self._known if wanted & self._names(id)]
        if len(same) != 1 or same[0] in found.of or self._numbered(same[0], row):
            return None
        return same[0]

    def _names(self, id: str) -> frozenset[str]:
        return orders(self.roster.student(id).name or id)

    def _numbered(self, id: str, row: TableRow) -> bool:
        """Whether the student has another number than the row, or the row's came with a hand-in.

        Canvas's numbers are of the whole course; the roster's for Moodle may be of an earlier
        assignment.
        """
        entered = self.roster.student(id).names.get(self.system, "")
        mine = any(id in ids for ids in self._handed_in.values())
        return (
            mine
            or row.number in self._handed_in
            or (self.system == "canvas" and entered.isdecimal())
        )


@dataclass
class Rows:
    """The row of each student, the rows that belong to nobody known, and what to say of them."""

    of: dict[str, int] = field(default_factory=dict)
    unmatched: list[TableRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class FilledTable:
    """The result of an export into a platform's table. `notes` are sentences for the instructor."""

    text: str
    changed: int  # rows with a grade or an excuse
    system: str
    unmatched: list[TableRow]  # rows of the platform that belong to nobody known
    absent: list[str]  # students with a grade whom the platform's table does not have
    notes: list[str]

    @property
    def sentences(self) -> list[str]:
        """The rows that were skipped, with reasons, then the notes."""
        said = []
        if names := abridged([row.shown for row in self.unmatched]):
            said.append(
                f"left as they were, as no student here, or more than one, fits: {names}; for a "
                f"student of yours, write the number in brackets into the roster's column "
                f"{self.system}"
            )
        if self.absent:
            said.append(f"graded here, but without a row in the file: {abridged(self.absent)}")
        return [*said, *self.notes]


def unfinished(cells: Mapping[tuple[str, str], Result | None]) -> list[str]:
    """Sentences on grades that may still change, or are missing; by student and assignment.

    Excused students are left out.
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

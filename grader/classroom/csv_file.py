"""CSV: reads what a person wrote or a platform exported; writes cells that no spreadsheet runs."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..course.problem import Problem
from ..course.visible import visible
from .names import nearest, unspaced

Row = dict[str, str]
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # in a spreadsheet
T = TypeVar("T")


class CsvError(Problem):
    """A problem in a CSV: one sentence per problem, with file and line."""

    def __init__(self, problems: list[str]):
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class CsvFile:
    """A CSV: commas, semicolons or tabs; UTF-8, or what Excel calls Unicode text (UTF-16).

    The names of columns are in lower case here, however they are written.

    Raises CsvError if it cannot be read or lacks a column; other columns are kept.
    """

    path: str | Path
    text: str
    columns: tuple[str, ...]

    @classmethod
    def read(cls, path: str | Path, needed: Collection[str] = ()) -> "CsvFile":
        text = _text(path)
        names = [name.strip().casefold() for name in _reader(text).fieldnames or []]
        if twice := sorted(name for name, count in Counter(names).items() if name and count > 1):
            raise CsvError([f"{path}, line 1: column {twice[0]} occurs twice: keep one"])
        file = cls(path, text, tuple(names))
        file.check(needed)
        return file

    def check(self, needed: Collection[str]) -> None:
        """Raises CsvError if a column is not there."""
        if missing := [name for name in needed if name not in self.columns]:
            there = ", ".join(filter(None, self.columns)) or "none"
            raise CsvError([
                f"{self.path}, line 1: no column {', '.join(missing)}; it needs "
                f"{', '.join(needed)}, and has {there}: rename the column that fits"
            ])  # fmt: skip

    def each(self, parse: Callable[[Row], T | None], once: Callable[[T], list[str]]) -> list[T]:
        """The results of `parse` for each row; None leaves a row out.

        `parse` raises ValueError for a bad row; `once` says in words, such as "ada has 1.11.a",
        what no other row may say. Raises CsvError, which lists every bad row.
        """
        rows, found = _reader(self.text, self.columns), list[T]()
        lines: dict[str, int] = {}
        problems: list[str] = []
        next(rows, None)  # the header
        while True:
            line = rows.line_num + 1
            try:
                row: dict[Any, Any] | None = next(rows, None)
                if row is None:
                    break
                # a cell may span several lines, and blank lines are skipped
                line = rows.line_num - sum(str(cell).count("\n") for cell in row.values())
                if None in row:
                    raise ValueError("more cells than columns: put a text with commas in quotes")
                made = parse({n: restored((cell or "").strip()) for n, cell in row.items() if n})
                for said in once(made) if made is not None else []:
                    if (first := lines.setdefault(said.casefold(), line)) != line:
                        raise ValueError(f"{said} on line {first} too: keep one")
            except (ValueError, csv.Error) as error:
                problems.append(f"{self.path}, line {line}: {error}")
                continue
            if made is not None:
                found.append(made)
        if problems:
            raise CsvError(problems)
        return found


def _text(path: str | Path) -> str:
    """The whole file. Raises CsvError."""
    try:
        data = Path(path).read_bytes()
        utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except OSError as error:
        raise CsvError([f"{path}: cannot be read ({error.strerror}); check the path"]) from None
    except UnicodeDecodeError:
        raise CsvError([f"{path}: not UTF-8 text; save it as “CSV UTF-8”"]) from None


def _reader(text: str, columns: Collection[str] | None = None) -> "csv.DictReader[str]":
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)  # a comma if there is only one column
    names = list(columns) if columns is not None else None
    return csv.DictReader(io.StringIO(text, newline=""), names, delimiter=delimiter)


def safe(text: str) -> str:
    """A cell that does nothing: visible but for tabs, and `=1+1` → `'=1+1`, which is text."""
    text = f"'{text}" if text.startswith(_STARTS_A_FORMULA) else text
    return "\t".join(map(visible, text.split("\t")))


def restored(text: str) -> str:
    """The text that `safe` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_STARTS_A_FORMULA) else text


def plain(text: str) -> str:
    """Text that UTF-8 can encode: a folder's name need not be valid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()


def check_name(student: str, known: Collection[str] | None) -> None:
    """Raises ValueError unless the student is known, with the nearest name; None: all are."""
    if known is None or student in known:
        return
    told = f"nobody is called {student!r}: neither the roster nor a result has it"
    if (near := nearest(student, known)) is None:
        raise ValueError(told)
    if unspaced(near) == unspaced(student):
        raise ValueError(f"{told}; {near!r} differs only in case or spaces: write that")
    raise ValueError(f"{told}; is it {near!r}?")


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

"""CSV: reads what a person or another program wrote; writes cells that no spreadsheet runs."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..course.problem import Problem
from ..course.visible import visible

Row = dict[str, str]
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # in a spreadsheet
T = TypeVar("T")


class CsvError(Problem):
    """What is wrong with a CSV: one sentence per problem, with file and line."""

    def __init__(self, problems: list[str]):
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class CsvFile:
    """A CSV in UTF-8: commas or semicolons, with or without a byte-order mark.

    The names of columns are in lower case here, however they are written.

    Raises CsvError if it cannot be read or lacks a column; other columns are kept.
    """

    path: str | Path
    text: str
    columns: tuple[str, ...]

    @classmethod
    def read(cls, path: str | Path, needed: Collection[str]) -> CsvFile:
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise CsvError([f"{path}: cannot be read ({error.strerror}); check the path"]) from None
        except UnicodeDecodeError:
            raise CsvError([f"{path}: not UTF-8 text; save it as “CSV UTF-8”"]) from None
        names = [name.strip().casefold() for name in _reader(text).fieldnames or []]
        if missing := [name for name in needed if name not in names]:
            wanted = ", ".join(needed)
            raise CsvError([f"{path}, line 1: no column {', '.join(missing)}; it needs {wanted}"])
        if twice := sorted({name for name in names if name and names.count(name) > 1}):
            raise CsvError([f"{path}, line 1: column {twice[0]} is there twice: keep one"])
        return cls(path, text, tuple(names))

    def each(self, parse: Callable[[Row], T | None], once: Callable[[T], list[str]]) -> list[T]:
        """What `parse` makes of each row; None leaves a row out.

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


def _reader(text: str, columns: Collection[str] | None = None) -> csv.DictReader[str]:
    header = text.partition("\n")[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
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
    plain = {_plain(name): name for name in known}
    if (name := plain.get(_plain(student))) is not None:
        raise ValueError(f"{told}; {name!r} differs only in case or spaces: write that")
    near = difflib.get_close_matches(_plain(student), plain, n=1, cutoff=0.75)
    raise ValueError(f"{told}; is it {plain[near[0]]!r}?" if near else told)


def _plain(name: str) -> str:
    return "".join(name.casefold().split())

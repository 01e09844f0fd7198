"""A CSV of another program, of which a few cells change and every other byte stays as it was."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..classroom.csv_file import CsvError

_BOM = "\ufeff"


@dataclass
class PatchedCsv:
    """`rows` contain each cell as it is in the file, quotes included; `ends` the line ends."""

    path: Path
    delimiter: str
    rows: list[list[str]]
    ends: list[str]
    lines: list[int]  # where each row begins
    bom: str = ""

    @classmethod
    def read(cls, path: Path) -> "PatchedCsv":
        """Raises CsvError if the file cannot be read or is not a CSV in UTF-8."""
        try:
            text = path.read_bytes().decode("utf-8")
        except OSError as error:
            raise CsvError([f"{path}: cannot be read ({error.strerror}); check the path"]) from None
        except UnicodeDecodeError:
            raise CsvError([f"{path}: not UTF-8 text; export it again as CSV in UTF-8"]) from None
        bom = _BOM if text.startswith(_BOM) else ""
        text = text[len(bom) :]
        header = text.partition("\n")[0]
        delimiter = ";" if header.count(";") > header.count(",") else ","
        kept = cls(path, delimiter, [], [], [], bom)
        kept._split(text)
        return kept

    def _split(self, text: str) -> None:
        cell = re.compile(rf'("(?:[^"]|"")*"|[^"{self.delimiter}\r\n][^{self.delimiter}\r\n]*|)')
        end = re.compile(rf"{self.delimiter}|\r\n|\n|\r|\Z")
        at, line, row = 0, 1, list[str]()
        start = line
        while at < len(text) or row:
            found = cell.match(text, at)
            after = end.match(text, found.end()) if found else None
            if found is None or after is None:
                raise CsvError([f"{self.path}, line {line}: a quotation mark is not closed"])
            row.append(found[0])
            line += len(re.findall(r"\r\n|\n|\r", found[0]))
            at = after.end()
            if after[0] != self.delimiter:
                line += bool(after[0])
                self.rows.append(row)
                self.ends.append(after[0])
                self.lines.append(start)
                row, start = [], line

    @cached_property
    def columns(self) -> list[str]:
        """The names in the first row."""
        return [self.value(0, column).strip() for column in range(len(self.rows[0]))]

    def column(self, name: str) -> int:
        """Where a column is. Raises CsvError if it is not there."""
        if not self.rows or name not in self.columns:
            raise CsvError(
                [f"{self.path}, line 1: no column {name!r}; give the file as it was exported"]
            )
        return self.columns.index(name)

    def value(self, row: int, column: int) -> str:
        """The text of a cell; "" beyond the row's last one."""
        cells = self.rows[row]
        raw = cells[column] if column < len(cells) else ""
        return raw[1:-1].replace('""', '"') if raw.startswith('"') else raw

    def put(self, row: int, column: int, text: str) -> None:
        """Change a cell, unless it says this already. `text` must not start a formula."""
        if self.value(row, column) != text:
            cells = self.rows[row]
            cells += [""] * (column + 1 - len(cells))
            special = any(sign in text for sign in (self.delimiter, '"', "\r", "\n"))
            cells[column] = '"' + text.replace('"', '""') + '"' if special else text

    def text(self) -> str:
        """The whole file."""
        rows = zip(self.rows, self.ends, strict=True)
        return self.bom + "".join(self.delimiter.join(row) + end for row, end in rows)


_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def number_in(text: str) -> float | None:
    """The number in a cell; None if it has none."""
    text = text.strip()
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


def written_like(value: float, like: str) -> str:
    """The value to two decimals, with a decimal comma if the cell `like` has one.

    Platforms in every language read a point; only some read a comma.
    """
    return f"{value:.2f}".replace(".", "," if "," in like else ".")

"""The pseudonyms of the students who want to be on a leaderboard.

    student,leaderboard
    ada,Countess
    ben,

This is a column `leaderboard` in the roster, stored or not, or a CSV of its own. An empty cell, or
no row, means not shown. It is a table and not a line in the notebook because whoever reads or
copies a notebook would learn the name, because a change of mind would be a new submission, and
because the starters stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .csv_file import CsvError, CsvFile, Row
from .roster import Roster

LONGEST = 40  # characters
STORED = "the stored roster"


def read(path: str | Path) -> Mapping[str, str]:
    """Student → pseudonym. Raises CsvError, which lists every bad row."""
    return _chosen(str(path), CsvFile.read(path, ["student", "leaderboard"]).each(_row, _only_one))


def of(roster: Roster) -> Mapping[str, str]:
    """The same from a stored roster. Raises CsvError."""
    named = [{"student": student.id} | student.cells for student in roster.students.values()]
    rows, owners, problems = list[Row](), dict[str, str](), list[str]()
    for row in named:
        try:
            made = _row({"leaderboard": ""} | row)
        except ValueError as error:
            problems.append(f"{STORED}: {error}")
            continue
        pseudonym = row.get("leaderboard", "")
        if pseudonym and owners.setdefault(pseudonym.casefold(), row["student"]) != row["student"]:
            owner = owners[pseudonym.casefold()]
            problems.append(f"{STORED}: the pseudonym {pseudonym!r} is {owner}'s too: keep one")
        rows += [made] if made else []
    if problems:
        raise CsvError(problems)
    return _chosen(STORED, rows)


def _chosen(source: str, rows: Sequence[Row]) -> Mapping[str, str]:
    real = {row[column].casefold() for row in rows for column in ("student", "name")}
    chosen = {row["student"]: row["leaderboard"] for row in rows if row["leaderboard"]}
    if problems := [
        f"{source}: the pseudonym {name!r} is the name of a student: choose another"
        for name in chosen.values()
        if name.casefold() in real
    ]:
        raise CsvError(problems)
    return chosen


def _row(row: Row) -> Row | None:
    pseudonym = row["leaderboard"]
    if pseudonym and not row["student"]:
        raise ValueError(f"the pseudonym {pseudonym!r} has no student: write whose it is")
    if len(pseudonym) > LONGEST or not pseudonym.isprintable():
        raise ValueError(
            f"the pseudonym {pseudonym[:LONGEST]!r} is too long or not one line: "
            f"write at most {LONGEST} characters"
        )
    kept = {name: row.get(name, "") for name in ("student", "name", "leaderboard")}
    return kept if row["student"] else None


def _only_one(row: Row) -> list[str]:
    names = [f"student {row['student']!r} is"]
    return names + [f"the pseudonym {row['leaderboard']!r} is"] * bool(row["leaderboard"])

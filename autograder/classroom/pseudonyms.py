"""The pseudonyms of the students who want to be on a leaderboard.

    student,leaderboard
    ada,Countess
    ben,

This is a column `leaderboard` in the roster, or a CSV of its own. An empty cell, or no row, means
not shown. It is a table and not a line in the notebook because whoever reads or copies a notebook
would learn the name, because a change of mind would be a new submission, and because the starters
stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .csv_file import CsvError, CsvFile, Row

LONGEST = 40  # characters


def read(path: str | Path) -> Mapping[str, str]:
    """Student → pseudonym. Raises CsvError, which lists every bad row."""
    rows = CsvFile.read(path, ["student", "leaderboard"]).each(_row, _only_one)
    real = {row[column].casefold() for row in rows for column in ("student", "name")}
    chosen = {row["student"]: row["leaderboard"] for row in rows if row["leaderboard"]}
    if problems := [
        f"{path}: the pseudonym {name!r} is the name of a student: choose another"
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

"""Decision tables: each row of a table in a TOML file beside the tests is a case of one test."""

import sys
from pathlib import Path

import pytest

from grader.course.toml import loads


def cases(name, file="cases.toml", slow=lambda *row: False):
    """Parametrize a test with table `name`: `columns` are its arguments, each of `rows` is a case.

    The file is in the folder of the test. Rows may be shorter than the columns: "" fills them up.
    A first column `case` names the row, and is no argument. `slow` rows wait for a release.
    """
    path = Path(sys._getframe(1).f_code.co_filename).with_name(file)  # beside the calling test
    found = loads(path.read_text(encoding="utf-8"))[name]
    columns = found["columns"]
    rows = [row + [""] * (len(columns) - len(row)) for row in found["rows"]]
    if columns[0] != "case":
        marks = [pytest.mark.long if slow(*row) else () for row in rows]
        rows = [pytest.param(*row, marks=of) for row, of in zip(rows, marks, strict=True)]
        return pytest.mark.parametrize(columns, rows)
    return pytest.mark.parametrize(columns[1:], [row[1:] for row in rows], ids=[r[0] for r in rows])


def texts(name, file="cases.toml"):
    """Table `name` as it is: texts, such as programs, by their names."""
    path = Path(sys._getframe(1).f_code.co_filename).with_name(file)  # beside the calling test
    return loads(path.read_text(encoding="utf-8"))[name]

"""The results store: append-only, one row per graded submission, SQLite in WAL mode or any URL.

    with Store("results.db") as store:
        result = store.find(key) or grade(…)
        store.add(result)

A result is keyed by what it depends on: the submission, the suite, the environment, the seed and
the isolation tier. Equal keys mean equal grades, so an interrupted run can resume.
"""

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from grader.course.course import Course

from ..classroom.receipt import Receipt
from . import regrade_requests, rows, stored_marks
from .changes import history, total_changes
from .database.connection import alone, back_up, file_of, opened, shown
from .database.errors import GradebookError, sentence
from .database.schema import results
from .manual import Item, ManualMark, ManualMarks
from .result import Key, Result
from .rules import policy
from .rules.policy import Change, Policy
from .stored_marks import KeptMark
from .totals import UNGRADED

LOOKED_AT = 20  # results of a suite, to know whether it has graded
_TIMES = ("graded_at", "seconds")  # ignored when results are compared


class _Undone(Exception):
    """Ends a transaction without committing it."""


class Store:
    """A context manager; every method raises GradebookError if the database fails."""

    def __init__(self, url_or_path: str | Path, wait_seconds: float = 10.0):
        self._place = str(url_or_path)
        self.where = shown(self._place)
        self.wait_seconds = wait_seconds
        self._engine: Engine | None = None
        self._tried: Connection | None = None  # the transaction of a `tried` block

    def __enter__(self) -> "Store":
        with self._explained():
            self._engine = opened(self._place, self.wait_seconds)
        return self

    def __exit__(self, *error: object) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def find(self, key: Key) -> Result | None:
        """The newest result with this key. It may be added again: `add` skips what is not new."""
        with self.connected() as connection:
            query = results.select().order_by(results.c.id.desc()).limit(1)
            for name, value in key._asdict().items():
                query = query.where(results.c[name] == rows.plain_text(value))
            row = connection.execute(query).first()
        return Result.read(row.result) if row else None

    def knows(self, key: Key) -> bool:
        """Whether the suite of this key graded somebody without a test that is wrong itself."""
        same = [name for name in Key._fields if name not in ("student", "submission_sha256")]
        query = results.select().order_by(results.c.id.desc()).limit(LOOKED_AT)
        for name in same:
            query = query.where(results.c[name] == getattr(key, name))
        with self.connected() as connection:
            found = [Result.read(row.result) for row in connection.execute(query)]
        return any(result.tests and not result.untested for result in found)

    def add(self, result: Result) -> bool:
        """Append a result; False if it equals the newest row of this student and assignment.

        A result that another one replaced is appended again, so the newest row always counts. A
        failure of the grader replaces no grade of the same files: it is not appended either.
        """
        text = json.dumps(result.as_json())
        with self.connected(writing=True) as connection:
            newest = rows.of(connection, result.student, result.assignment, limit=1)
            if newest and _counts_on(newest[0], Result.read(text)):
                return False
            rows.append(connection, result)
        return True

    def latest(self, assignment: str | None = None) -> list[Result]:
        """The newest result of each student and assignment, sorted by these."""
        with self.connected() as connection:
            return rows.newest(connection, assignment)

    def is_empty(self) -> bool:
        """Whether nothing was ever graded into it."""
        with self.connected() as connection:
            return connection.execute(results.select().limit(1)).first() is None

    def students(self) -> set[str]:
        """Everybody who has a result."""
        with self.connected() as connection:
            return rows.students(connection)

    def newest(self, student: str, assignment: str) -> Result | None:
        """The newest result of one student and assignment."""
        with self.connected() as connection:
            return next(iter(rows.of(connection, student, assignment, limit=1)), None)

    def receipts(self, student: str, assignment: str, sha256: str) -> list[Receipt]:
        """The times of receipt of exactly these bytes, oldest first: copying changes none."""
        with self.connected() as connection:
            return rows.receipts(connection, student, assignment, sha256)

    def history(
        self, student: str, assignment: str, zone: datetime.tzinfo = datetime.timezone.utc
    ) -> list[dict[str, Any]]:
        """Every grading, mark, new rule and total, oldest first; see `history.entries`."""
        with self.connected() as connection:
            found, marked = rows.of(connection, student, assignment)[::-1], (student, assignment)
            marks = [m for m in stored_marks.every(connection) if m.item[:2] == marked]
            rules = policy.history(connection, assignment, zone) if found else []
            totals = total_changes.entries(connection, student, assignment, zone)
            asked = regrade_requests.every(connection, marks)
            requests = [r for item, of in asked.items() if item[:2] == marked for r in of]
            return history.entries(found, marks, rules, totals, requests)

    def count(self, results: Sequence[Result]) -> int:
        """Keep the totals of results that are written now, where they differ; returns how many."""
        with self.connected(writing=True) as connection:
            return total_changes.keep(connection, results)

    def keep_rules(self, course: Course) -> list[Change]:
        """Store the rules that the course has now; returns what differs from those before."""
        with self.connected(writing=True) as connection:
            return policy.keep(connection, course)

    def rules(self) -> Policy | None:
        """The rules by which grades were last written, if they ever were."""
        with self.connected() as connection:
            return policy.newest(connection)

    def keep(self, manual: ManualMarks, marker: str = "") -> int:
        """Append the manual marks that are new or changed; returns how many.

        `marker`: who gives those that do not say so. See `stored_marks.keep`.
        """
        with self.connected(writing=True) as connection:
            return stored_marks.keep(connection, manual, marker)

    def manual(self, course: Course) -> ManualMarks:
        """The stored marks of the class: the newest of each item, unless it was withdrawn."""
        newest = stored_marks.newest(self.marks())
        with self.connected() as connection:
            left = rows.left(connection)
        kept = {item: kept.mark for item, kept in newest.items() if item[0] not in left}
        return ManualMarks(
            course, {item: mark for item, mark in kept.items() if mark != ManualMark(None)}
        )

    def marks(self) -> list[KeptMark]:
        """Every mark that was ever stored, oldest first, including those replaced since."""
        with self.connected() as connection:
            return stored_marks.every(connection)

    def with_open_questions(self, results: Sequence[Result]) -> list[Result]:
        """The results with students' requests; held marks have the text they were given for."""
        with self.connected() as connection:
            found = stored_marks.with_earlier_answers(connection, results)
            kept = stored_marks.every(connection)
            return regrade_requests.with_requests(found, regrade_requests.every(connection, kept))

    def ask(self, reasons: Mapping[Item, str]) -> list[Item]:
        """Store the regrade requests that are new; see `regrade_requests.ask`."""
        with self.connected(writing=True) as connection:
            return regrade_requests.ask(connection, reasons)

    def back_up(self) -> Path | None:
        """Replace the copy beside an SQLite file; None for any other database, which has its own.

        Raises GradebookError if the copy cannot be written.
        """
        path = file_of(self._place)
        return back_up(path) if path is not None else None

    @contextmanager
    def connected(self, writing: bool = False) -> Iterator[Connection]:
        """A transaction: committed in full or not at all. While `writing`, nobody else writes."""
        if self._tried is not None:
            yield self._tried
            return
        if self._engine is None:
            raise GradebookError(f"{self.where} is not open: use it in a `with` block")
        begun = alone(self._engine) if writing else self._engine.begin()
        with self._explained(), begun as connection:
            yield connection

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Undoes at its end everything that is written in this block: it shows what would be."""
        with suppress(_Undone), self.connected(writing=True) as connection:
            self._tried = connection
            try:
                yield
            finally:
                self._tried = None
            raise _Undone

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError, ImportError) as error:
            raise GradebookError(sentence(error, self.where, self.wait_seconds)) from None


def _counts_on(before: Result, now: Result) -> bool:
    if now.outcome == UNGRADED != before.outcome:
        return now.submission.sha256 == before.submission.sha256
    return _lasting(before) == _lasting(now)


def _lasting(result: Result) -> dict[str, Any]:
    return {name: value for name, value in result.as_json().items() if name not in _TIMES}

"""The results store: append-only, one row per graded submission, SQLite in WAL mode or any URL.

    with Store("results.db") as store:
        result = store.find(**key) or grade(…)
        store.add(result)

A result is keyed by what it depends on: the submission, the suite, the environment, the seed and
the isolation tier. Equal keys mean equal grades, so an interrupted run can resume.
"""

from __future__ import annotations

import datetime
import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..classroom.cells import plain
from .database_errors import GradebookError, damaged, sentence
from .manual import Item, ManualMark, ManualMarks
from .result import Result

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from course_lib.course.syllabus import Syllabus

_TIMES = ("graded_at", "seconds")  # ignored when results are compared


class Key(NamedTuple):
    """What a grade depends on."""

    student: str
    assignment: str
    submission_sha256: str
    suite_sha256: str
    environment_sha256: str
    seed: int
    tier: str


def key_of(result: Result) -> Key:
    return Key(
        result.student,
        result.assignment,
        result.submission.sha256,
        result.suite_sha256,
        result.environment_sha256,
        result.seed,
        result.tier,
    )


class Store:
    """A context manager; every method raises GradebookError if the database fails."""

    def __init__(self, url_or_path: str | Path, wait_seconds: float = 10.0):
        text = str(url_or_path)
        self.where = text if "://" in text else str(Path(text))
        self.url = text if "://" in text else f"sqlite:///{Path(text)}"
        self.wait_seconds = wait_seconds
        self._engine: Engine | None = None

    def __enter__(self) -> Store:
        from .schema import metadata

        with self._explained():
            if "://" not in self.where:
                Path(self.where).parent.mkdir(parents=True, exist_ok=True)
                if Path(self.where).exists() and not Path(self.where).stat().st_size:
                    raise GradebookError(damaged(self.where, "the file has 0 bytes"))
            self._engine = _engine(self.url, self.wait_seconds)
            if self._engine.dialect.name == "sqlite":  # fail before hours of grading, not after
                with self._engine.begin() as connection:
                    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
                if found != "ok":
                    raise GradebookError(damaged(self.where, str(found).splitlines()[-1]))
            metadata.create_all(self._engine)
        return self

    def __exit__(self, *error: object) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def find(
        self,
        *,
        student: str,
        assignment: str,
        submission_sha256: str,
        suite_sha256: str,
        environment_sha256: str,
        seed: int,
        tier: str,
    ) -> Result | None:
        """The newest result with this key. It may be added again: `add` skips what is not new."""
        from .schema import results

        key = Key(
            student, assignment, submission_sha256, suite_sha256, environment_sha256, seed, tier
        )
        with self._connected() as connection:
            query = results.select().order_by(results.c.id.desc()).limit(1)
            for name, value in key._asdict().items():
                query = query.where(results.c[name] == _plain(value))
            row = connection.execute(query).first()
        return Result.read(row.result) if row else None

    def add(self, result: Result) -> bool:
        """Append a result; False if it equals the newest row of this student and assignment.

        A result that another one replaced is appended again, so the newest row always counts.
        """
        from .schema import results

        key, text = key_of(result), json.dumps(result.as_json())
        with self._connected() as connection:
            newest = _rows(connection, key.student, key.assignment, limit=1)
            if newest and _lasting(newest[0]) == _lasting(Result.read(text)):
                return False
            values = {name: _plain(value) for name, value in key._asdict().items()}
            values |= {"graded_at": result.graded_at, "result": text}
            connection.execute(results.insert().values(**values))
        return True

    def latest(self, assignment: str | None = None) -> list[Result]:
        """The newest result of each student and assignment, sorted by these."""
        from sqlalchemy import func, select

        from .schema import results

        newest = select(func.max(results.c.id)).group_by(results.c.student, results.c.assignment)
        query = results.select().where(results.c.id.in_(newest))
        if assignment is not None:
            query = query.where(results.c.assignment == assignment)
        with self._connected() as connection, _uncollected():
            rows = connection.execute(query.order_by(results.c.student, results.c.assignment))
            return [Result.read(row.result) for row in rows]

    def history(self, student: str, assignment: str) -> list[dict[str, Any]]:
        """Every grading, oldest first; see `history.entries`."""
        from .history import entries

        with self._connected() as connection:
            return entries(_rows(connection, student, assignment)[::-1])

    def keep(self, manual: ManualMarks) -> int:
        """Append the manual marks that are new or changed; returns how many."""
        from .schema import marks

        kept = self.manual(manual.syllabus).marks
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        rows: list[dict[str, Any]] = [
            {
                "student": student,
                "assignment": assignment,
                "item": item,
                "points": mark.points,
                "comment": mark.comment,
                "kept_at": now,
            }
            for (student, assignment, item), mark in manual.marks.items()
            if kept.get((student, assignment, item), ManualMark(None)) != mark
        ]
        if rows:
            with self._connected() as connection:
                connection.execute(marks.insert(), rows)
        return len(rows)

    def manual(self, syllabus: Syllabus) -> ManualMarks:
        """The stored marks: the newest of each item, unless it was withdrawn."""
        kept = dict(self._marks())
        return ManualMarks(
            syllabus, {item: mark for item, mark in kept.items() if mark != ManualMark(None)}
        )

    def comments(self) -> frozenset[tuple[Item, str]]:
        """Every comment that was ever stored, including those replaced since."""
        return frozenset((item, mark.comment) for item, mark in self._marks())

    def _marks(self) -> list[tuple[Item, ManualMark]]:
        from .schema import marks

        with self._connected() as connection:
            return [
                ((row.student, row.assignment, row.item), ManualMark(row.points, row.comment))
                for row in connection.execute(marks.select().order_by(marks.c.id))
            ]

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """A transaction: committed in full or not at all."""
        if self._engine is None:
            raise GradebookError(f"{self.where} is not open: use it in a `with` block")
        with self._explained(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (SQLAlchemyError, OSError, ImportError) as error:
            raise GradebookError(sentence(error, self.where, self.wait_seconds)) from None


def _engine(url: str, wait_seconds: float) -> Engine:
    import sqlalchemy

    parsed = sqlalchemy.make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return sqlalchemy.create_engine(parsed)
    engine = sqlalchemy.create_engine(parsed, connect_args={"timeout": wait_seconds})

    @sqlalchemy.event.listens_for(engine, "connect")
    def _write_ahead(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")

    return engine


def _rows(
    connection: Connection, student: str, assignment: str, limit: int | None = None
) -> list[Result]:
    """Results of one student and assignment, newest first."""
    from .schema import results

    query = results.select().order_by(results.c.id.desc()).limit(limit)
    query = query.where(results.c.student == _plain(student), results.c.assignment == assignment)
    return [Result.read(row.result) for row in connection.execute(query)]


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection: a class has 100,000 records without cycles, and scanning is slow."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _lasting(result: Result) -> dict[str, Any]:
    return {name: value for name, value in result.as_json().items() if name not in _TIMES}


def _plain(value: Any) -> Any:
    """Text that a database accepts: a folder's name need not be valid Unicode."""
    if isinstance(value, str):
        return plain(value).replace("\0", "\\x00")
    return value

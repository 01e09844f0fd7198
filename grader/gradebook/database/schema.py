"""The tables of the results store. Rows are only ever added.

A column that came later may be null: a store of an earlier version gets it when it is opened, and
old rows keep what they say. A mark from before is taken to be given for the answer that was the
newest then: it counts on, until that answer changes.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    Index,
    Inspector,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    func,
    inspect,
    select,
)
from sqlalchemy.schema import CreateColumn

from .. import answers
from ..result import Result

metadata = MetaData()


def _id() -> Column:
    return Column("id", Integer, primary_key=True)


def _strings(names: str) -> list[Column]:
    """Columns that are never null."""
    return [Column(name, String, nullable=False) for name in names.split()]


results = Table(
    "results",
    metadata,
    _id(),
    *_strings("student assignment submission_sha256 suite_sha256 environment_sha256"),
    Column("seed", BigInteger, nullable=False),
    *_strings("tier graded_at"),
    Column("result", Text, nullable=False),  # JSON
    Index("results_by_student", "student", "assignment"),
)

marks = Table(
    "marks",
    metadata,
    _id(),
    *_strings("student assignment item"),
    Column("points", Float),
    Column("comment", Text, nullable=False),
    *_strings("kept_at"),
    Column("marker", String),  # who gave it; null before that was stored
    Column("answer_sha256", String),  # of what it was given for; null if nobody knows
    Column("undoes", Integer),  # the id of the mark that this row takes back
    Column("act", String),  # what was stored in one step has the same; null for marks of a file
    Column("rubric", Text),  # JSON: its items, met or not; null for a mark given without it
    Index("marks_by_item", "student", "assignment", "item"),
)

questioned = Table(  # `marker` asks, or has settled it; a student's request has a reason
    "questioned",
    metadata,
    _id(),
    *_strings("student assignment item marker"),
    Column("asked", Boolean, nullable=False),  # false once it is settled
    *_strings("kept_at"),
    Column("reason", Text),  # why a student asks for a regrade; null if a marker asks
    Column("after_mark", Integer),  # the newest mark then: a later one of the item answers it
)

at_work = Table(  # who has which answer open: the only table whose rows are replaced
    "at_work",
    metadata,
    Column("marker", String, primary_key=True),
    *_strings("place"),
    Column("seen_at", Float, nullable=False),  # seconds since 1970
)

terms = Table(
    "terms",
    metadata,
    _id(),
    *_strings("student assignment"),
    Column("due", String),  # ISO time
    Column("more_days", Integer, nullable=False),
    Column("waived", Boolean, nullable=False),
    Column("excused", Boolean, nullable=False),
    *_strings("kept_at"),
    Index("terms_by_student", "student", "assignment"),
)

students = Table(
    "students",
    metadata,
    _id(),
    *_strings("student"),
    Column("cells", Text),  # JSON: of the roster, by column; null once the student has left
    *_strings("kept_at"),
)

moved = Table(  # results that are another student's, as a name was corrected
    "moved",
    metadata,
    _id(),
    *_strings("student assignment"),
    Column("last", Integer, nullable=False),  # the id of the newest one that went
    *_strings("kept_at"),
    Index("moved_by_student", "student", "assignment"),
)

policies = Table(
    "policies",
    metadata,
    _id(),
    Column("policy", Text, nullable=False),  # JSON: the rules of course.toml, see `policy`
    *_strings("kept_at"),
)

countings = Table(
    "countings",
    metadata,
    _id(),
    *_strings("student assignment"),
    Column("facts", Text, nullable=False),  # JSON: what decided a total that was written
    *_strings("counted_at"),
    Index("countings_by_student", "student", "assignment"),
)


def lacking_columns(inspector: Inspector, table: Table) -> list[Column]:
    """The columns that the table in the database does not have."""
    there = {column["name"] for column in inspector.get_columns(table.name)}
    return [column for column in table.columns if column.name not in there]


def add_columns(connection: Connection) -> None:
    """Add every column that is not there, within the caller's transaction."""
    inspector = inspect(connection)
    for table in metadata.tables.values():
        missing = lacking_columns(inspector, table)
        for column in missing:
            written = CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {written}")
        if any(column is marks.c.answer_sha256 for column in missing):
            _bind_marks(connection)


def _bind_marks(connection: Connection) -> None:
    """Say of each mark that it was given for the answer that is the newest now."""
    ids = select(func.max(results.c.id)).group_by(results.c.student, results.c.assignment)
    rows = connection.execute(select(results).where(results.c.id.in_(ids))).all()
    newest = {(row.student, row.assignment): row.result for row in rows}
    for row in connection.execute(select(marks)).all():
        if text := newest.get((row.student, row.assignment)):
            given_for = answers.sha256_of(Result.read(text), row.item)
            this = marks.update().where(marks.c.id == row.id)
            connection.execute(this.values(answer_sha256=given_for))

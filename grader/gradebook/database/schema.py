"""The tables of the results store. Rows are only ever added.

A column that came later may be null: a store of an earlier version gets it when it is opened.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

results = Table(
    "results",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("student", String, nullable=False),
    Column("assignment", String, nullable=False),
    Column("submission_sha256", String, nullable=False),
    Column("suite_sha256", String, nullable=False),
    Column("environment_sha256", String, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("tier", String, nullable=False),
    Column("graded_at", String, nullable=False),
    Column("result", Text, nullable=False),  # JSON
    Index("results_by_student", "student", "assignment"),
)

marks = Table(
    "marks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("student", String, nullable=False),
    Column("assignment", String, nullable=False),
    Column("item", String, nullable=False),
    Column("points", Float),
    Column("comment", Text, nullable=False),
    Column("kept_at", String, nullable=False),
    Column("marker", String),  # who gave it; null before that was stored
    Column("answer_sha256", String),  # of what it was given for; null if nobody knows
    Column("undoes", Integer),  # the id of the mark that this row takes back
    Column("act", String),  # what was stored in one step has the same; null for marks of a file
    Index("marks_by_item", "student", "assignment", "item"),
)

questioned = Table(
    "questioned",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("student", String, nullable=False),
    Column("assignment", String, nullable=False),
    Column("item", String, nullable=False),
    Column("marker", String, nullable=False),  # who asks, or who has settled it
    Column("asked", Boolean, nullable=False),  # false once it is settled
    Column("kept_at", String, nullable=False),
)

at_work = Table(  # who has which answer open: the only table whose rows are replaced
    "at_work",
    metadata,
    Column("marker", String, primary_key=True),
    Column("place", String, nullable=False),
    Column("seen_at", Float, nullable=False),  # seconds since 1970
)

terms = Table(
    "terms",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("student", String, nullable=False),
    Column("assignment", String, nullable=False),
    Column("due", String),  # ISO time
    Column("more_days", Integer, nullable=False),
    Column("waived", Boolean, nullable=False),
    Column("excused", Boolean, nullable=False),
    Column("kept_at", String, nullable=False),
    Index("terms_by_student", "student", "assignment"),
)

students = Table(
    "students",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("student", String, nullable=False),
    Column("cells", Text),  # JSON: of the roster, by column; null once the student has left
    Column("kept_at", String, nullable=False),
)

policies = Table(
    "policies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("policy", Text, nullable=False),  # JSON: the rules of course.toml, see `policy`
    Column("kept_at", String, nullable=False),
)

countings = Table(
    "countings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("student", String, nullable=False),
    Column("assignment", String, nullable=False),
    Column("facts", Text, nullable=False),  # JSON: what decided a total that was written
    Column("counted_at", String, nullable=False),
    Index("countings_by_student", "student", "assignment"),
)

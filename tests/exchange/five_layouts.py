"""A class of eight with one set of notebooks, as five platforms lay out what was handed in."""

import csv
import io
from dataclasses import dataclass
from functools import cache

import proofs
from importers import ENGLISH

from grader.course import mistakes
from grader.library.components import Component

COLUMNS = ("student", "name", "email", "canvas", "moodle", "github", "a1")
PARTS = ("1.11.a", "1.11.b", "1.11.c")


@dataclass(frozen=True)
class Person:
    """One of the class: names and numbers on each platform, and the mistake in the notebook."""

    id: str
    name: str
    sortable: str  # as in Canvas's gradebook
    slug: str  # as at the start of Canvas's file names
    canvas: str
    moodle: str
    mistake: str  # "" for the reference, "starter" for an untouched notebook
    mark: float  # of each written part
    terms: str = ""

    @property
    def email(self):
        return f"{self.id}@example.org"

    @property
    def notebook(self):
        return _notebook(self.mistake)

    @property
    def in_moodle(self):
        """The folder of Moodle's download, which leaves apostrophes out."""
        return f"{self.name.replace(chr(39), '')}_{self.moodle}_assignsubmission_file"

    @property
    def in_canvas(self):
        late = "_LATE" if self.terms else ""
        return f"{self.slug}{late}_{self.canvas}_6{self.canvas}"

    @property
    def row(self):
        return (self.id, self.name, self.email, self.canvas, self.moodle, self.id, self.terms)


CLASS = (
    Person("ada", "Ada Lovelace", "Lovelace, Ada", "lovelaceada", "1041", "4711", "", 4),
    Person("sean", "Seán O'Brien", "O'Brien, Seán", "obrienseán", "1042", "4712",
           "attention_not_scaled", 4, "waived"),
    Person("benoit", "Benoît Mandelbrot", "Mandelbrot, Benoît", "mandelbrotbenoît", "1043", "4713",
           "attention_mask_ignored", 3),
    Person("li", "李小龙", "李小龙", "李小龙", "1044", "4714", "cost_constant_factor", 2),
    Person("mohammed", "محمد صالح", "صالح, محمد", "صالحمحمد", "1045", "4715", "gap_mean", 1),
    Person("zoe", "Zoë Lu", "Lu, Zoë", "luzoë", "1046", "4716", "starter", 0),
    Person("kim1", "Kim Lee", "Lee, Kim", "leekim", "1047", "4717", "", 2),
    Person("kim2", "Kim Lee", "Lee, Kim", "leekim", "1048", "4718", "heat_map_transposed", 4),
)  # fmt: skip


@cache
def _notebook(mistake):
    if mistake == "starter":
        return proofs.notebook("a1", "starter")
    if not mistake:
        return proofs.notebook("a1", "solution")
    bug = mistakes.named(proofs.COURSE, f"a1/{mistake}")
    source = bug.apply(Component.parse(bug.component).source)
    return proofs.notebook("a1", "solution", {bug.component: source})


def _gradescope():
    about = "".join(
        f"submission_{n}:\n  :submitters:\n  - :name: {p.name}\n    :email: {p.email}\n"
        "  :created_at: 2027-02-08 21:00:00 Z\n"
        for n, p in enumerate(CLASS)
    )
    files = {f"submission_{n}/a1.ipynb": p.notebook for n, p in enumerate(CLASS)}
    return files | {"submission_metadata.yml": about}


LAYOUTS = {
    "canvas": lambda: {f"{p.in_canvas}_a1.ipynb": p.notebook for p in CLASS},
    "moodle": lambda: {f"{p.in_moodle}/a1.ipynb": p.notebook for p in CLASS},
    "gradescope": _gradescope,
    "github": lambda: {f"a1-{p.id}/assignments/a1/a1.ipynb": p.notebook for p in CLASS},
    "nbgrader": lambda: {f"{p.id}/a1/a1.ipynb": p.notebook for p in CLASS},
}


def roster(path, columns=COLUMNS):
    """A roster of the class with these of its columns."""
    picked = [COLUMNS.index(column) for column in columns]
    _csv(path, [columns, *([p.row[n] for n in picked] for p in CLASS)])
    return path


def marks(path):
    """The marks of the written parts, by the names in the roster."""
    rows = [(p.id, "a1", part, p.mark) for p in CLASS for part in PARTS]
    _csv(path, [("student", "assignment", "item", "points"), *rows])
    return path


def worksheet(language=ENGLISH, maximum="110.00"):
    """Moodle's grading worksheet in a language, as its exporter writes it."""
    rows = [
        (f"{language.participant}{p.moodle}", p.name, p.email, "✓", "", maximum, language.yes,
         "-", "-", "")
        for p in CLASS
    ]  # fmt: skip
    return _text([language.header, *rows])


def gradebook(split=False, delimiter=",", bom="", possible="100.00", posting=True):
    """Canvas's gradebook; `split`: with the last and first names apart."""
    names = ["LastName", "FirstName"] if split else ["Student"]
    others = ["ID", "SIS Login ID", "Section"]
    empty = [""] * (len(names) + len(others))
    rows = [[*names, *others, "A1: Self-attention (77)", "Quiz (78)", "Final Score"]]
    rows += [[*empty, "Manual Posting", "", ""]] if posting else []
    rows += [["    Points Possible", *empty[1:], possible, "10.00", "(read only)"]]
    people = [(p.sortable, p.canvas, p.id) for p in CLASS] + [("Student, Test", "1", "")]
    for sortable, number, login in people:
        name = (sortable.split(", ") + [""])[:2] if split else [sortable]
        rows.append([*name, number, login and f"{login}-login", "Tue", "", "7.50", "7.50"])
    return bom + _text(rows, delimiter)


def _csv(path, rows):
    path.write_text(_text(rows), encoding="utf-8")


def _text(rows, delimiter=","):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()

"""One class in five layouts: equal totals, and files that the platforms' importers take whole."""

import csv
import zipfile

import pytest
from five_layouts import CLASS, LAYOUTS, gradebook, marks, roster, worksheet
from importers import (
    ENGLISH,
    FRENCH,
    GERMAN,
    JAPANESE,
    canvas,
    canvas_feedback,
    moodle,
    moodle_feedback,
)
from world import World

pytestmark = pytest.mark.xdist_group("five layouts")
NAMES_ONLY = ("student", "name", "email", "a1")
COLUMN = "A1: Self-attention (77)"
BY_CANVAS = {p.canvas: p.sortable for p in CLASS}
IN_CANVAS = BY_CANVAS | {"1": "Student, Test"}
BY_MOODLE = {p.moodle: p.name for p in CLASS}


class Graded(World):
    """One layout, graded and marked; `columns` are those of the roster."""

    def __init__(self, folder, layout, columns=None, marked=True):
        super().__init__(folder)
        for name, data in LAYOUTS[layout]().items():
            self.hand_in(name, data)
        list_ = roster(folder / "roster.csv", *([columns] if columns else []))
        self.run("grade", self.submitted, "--roster", list_, "--assignment", "a1")
        if marked:
            self.run("report", "--manual", marks(folder / "marks.csv"))

    @property
    def totals(self):
        return {s: result["totals"]["total"] for s, result in self.results().items()}

    def export(self, system, text, *words):
        """What the platform is given back, and what was printed."""
        given = ("--from", self.file("from.csv", text), "--to", self.folder / "to.csv")
        done = self.run("export", system, *words, *given)
        return (self.folder / "to.csv").read_text(encoding="utf-8"), done.stdout + done.stderr

    def feedback(self, system):
        self.run("feedback", "--to", self.folder / "pages", "--zip", system)
        return zipfile.ZipFile(self.folder / "pages" / f"a1-{system}.zip").namelist()


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return {layout: Graded(tmp_path_factory.mktemp(layout), layout) for layout in LAYOUTS}


@pytest.fixture(scope="module")
def by_names(tmp_path_factory):
    """Canvas and Moodle with a roster that has neither's numbers."""
    return {
        layout: Graded(tmp_path_factory.mktemp(layout), layout, NAMES_ONLY, marked=False)
        for layout in ("canvas", "moodle")
    }


def test_the_totals_are_equal_in_all_five(graded):
    totals = graded["nbgrader"].totals
    assert {layout: one.totals for layout, one in graded.items()} == dict.fromkeys(LAYOUTS, totals)
    assert {*totals} == {p.id for p in CLASS}
    assert (totals["ada"], totals["kim1"], totals["zoe"]) == (110, 104, 0)
    assert len({*totals.values()}) >= 7


GRADEBOOKS = {
    "as usual": {},
    "semicolons and decimal commas": {"delimiter": ";", "bom": "\ufeff", "possible": "100,00"},
    "split names": {"split": True},
    "nothing posted by hand": {"posting": False},
    "split names, semicolons": {"split": True, "delimiter": ";", "possible": "100,00"},
}


@pytest.mark.parametrize("form", GRADEBOOKS)
def test_canvas_takes_every_grade(graded, form):
    before = gradebook(**GRADEBOOKS[form])
    after, told = graded["canvas"].export("canvas", before)
    taken = canvas(after, IN_CANVAS)
    assert taken.left_out == {}
    ours = {number: grade for (number, name), grade in taken.grades.items() if name == COLUMN}
    assert ours == {p.canvas: graded["canvas"].totals[p.id] for p in CLASS}
    assert "grades of 8 students are in it" in told
    assert without_ours(after, COLUMN) == without_ours(before, COLUMN)


@pytest.mark.parametrize("language", [ENGLISH, GERMAN, FRENCH, JAPANESE])
@pytest.mark.parametrize("highest", [110, 100])
def test_moodle_takes_every_grade_in_any_language(graded, language, highest):
    before = worksheet(language, f"{highest:.2f}".replace(".", language.decimal))
    after, told = graded["moodle"].export("moodle", before, "a1")
    taken = moodle(after, language, highest, BY_MOODLE)
    assert taken.left_out == {}
    totals = {p.moodle: graded["moodle"].totals[p.id] for p in CLASS}
    assert taken.grades == {number: min(total, highest) for number, total in totals.items()}
    assert {*taken.comments} == {*BY_MOODLE}
    assert "grades of 8 students are in it" in told
    assert ("set it to 110" in told) == (highest == 100)
    ours = (language.header[4], language.header[-1])
    assert without_ours(after, *ours) == without_ours(before, *ours)
    assert after.splitlines()[0] == before.splitlines()[0]


def without_ours(text, *columns):
    """The cells of a table without our columns."""
    delimiter = ";" if text.count(";") > text.count(",") else ","
    header, *rows = csv.reader(text.splitlines(), delimiter=delimiter)
    picked = [n for n, name in enumerate(header) if name not in columns]
    return [[row[n] for n in picked] for row in [header, *rows]]


def test_the_feedback_finds_everybody(graded):
    names = graded["canvas"].feedback("canvas")
    submitted = {(p.canvas, f"6{p.canvas}") for p in CLASS}
    assert sorted(canvas_feedback(names, submitted).values()) == sorted(BY_CANVAS)
    assert sorted(moodle_feedback(graded["moodle"].feedback("moodle"), BY_MOODLE).values()) == (
        sorted(BY_MOODLE)
    )


def test_numbers_of_the_hand_ins_find_the_rows_that_the_roster_does_not(graded, by_names):
    """Two of one name are graded under names of their own, and their grades reach their rows."""
    automatic = {p.id: graded["nbgrader"].totals[p.id] - 3 * p.mark for p in CLASS}
    text, told = by_names["canvas"].export("canvas", gradebook())
    taken = canvas(text, IN_CANVAS).grades
    assert {n: grade for (n, name), grade in taken.items() if name == COLUMN} == {
        p.canvas: automatic[p.id] for p in CLASS
    }
    assert "fits" not in told
    assert "without a row" not in told
    text, told = by_names["moodle"].export("moodle", worksheet(GERMAN, "110,00"), "a1")
    assert moodle(text, GERMAN, 110, BY_MOODLE).grades == {p.moodle: automatic[p.id] for p in CLASS}
    assert "fits" not in told

"""A name that was corrected takes its grades and marks along; who has left is in no file."""

import csv
import dataclasses

import in_process
import pytest
from checkout import EMPTY, place
from sample_results import COURSE, sample

from grader.classroom.roster import Roster
from grader.cli import main
from grader.cli.records import corrected_names
from grader.gradebook import moved_results, stored_roster
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.store import Store
from grader.intake.submissions import Submission


def graded(student, file, sha, **fields):
    result = sample(student, **fields)
    facts = result.submission.model_copy(update={"file": file, "sha256": sha})
    return result.model_copy(update={"submission": facts})


@dataclasses.dataclass(frozen=True)
class Handed(Submission):
    sha256: str = ""


def handed(student, file, sha):
    return Handed(student, "a1", f"class/{file}", sha256=sha)


def marked(store, **points):
    marks = {(id, "a1", "1.11.a"): ManualMark(mark, "good") for id, mark in points.items()}
    store.keep(ManualMarks(COURSE, marks), "alice")


def marks(store):
    return {item[0]: mark.points for item, mark in store.manual(COURSE).marks.items()}


LEEKIM = "leekim_1047_6_a1.ipynb"


@pytest.mark.parametrize(
    ("before", "now", "students", "points"),
    [
        # the ids of two Kim Lees go into the roster
        (
            {"k1": (LEEKIM, "x"), "k2": ("leekim_1048_7_a1.ipynb", "y")},
            {"kim1": (LEEKIM, "x"), "kim2": ("leekim_1048_7_a1.ipynb", "y")},
            ["kim1", "kim2"],
            {"kim1": 1, "kim2": 2},
        ),
        # the two were the wrong way round: the marks go with the files
        (
            {"kim1": (LEEKIM, "x"), "kim2": ("leekim_1048_7_a1.ipynb", "y")},
            {"kim2": (LEEKIM, "x"), "kim1": ("leekim_1048_7_a1.ipynb", "y")},
            ["kim1", "kim2"],
            {"kim1": 2, "kim2": 1},
        ),
        # a group is known now: all have what the one had
        (
            {"ada": ("g_1041_5_a1.ipynb", "x")},
            {"ada": ("g_1041_5_a1.ipynb", "x"), "ben": ("g_1041_5_a1.ipynb", "x")},
            ["ada", "ben"],
            {"ada": 1, "ben": 1},
        ),
        (
            {"g_1041_5": ("g_1041_5_a1.ipynb", "x")},
            {"ada": ("g_1041_5_a1.ipynb", "x"), "ben": ("g_1041_5_a1.ipynb", "x")},
            ["ada", "ben"],
            {"ada": 1, "ben": 1},
        ),
        # Canvas shows the names that it hid: its number of the file is the same
        (
            {"anon_7gKqP_6": ("anon_7gKqP_6_a1.ipynb", "x")},
            {"kim1": (LEEKIM, "x")},
            ["kim1"],
            {"kim1": 1},
        ),
        # a folder within the class's, a clone
        ({"a1-al": ("a1-al/a1.ipynb", "x")}, {"ada": ("a1-al/a1.ipynb", "x")}, ["ada"], {"ada": 1}),
        # both are there from before: the old name goes, and marks of one's own stay
        (
            {"k1": (LEEKIM, "x"), "kim1": (LEEKIM, "x")},
            {"kim1": (LEEKIM, "x")},
            ["kim1"],
            {"kim1": 2},
        ),
        (
            {"k1": (LEEKIM, "x"), "k2": (f"w/{LEEKIM}", "x")},
            {"kim1": (LEEKIM, "x")},
            ["kim1"],
            {"kim1": 1},
        ),
        # other bytes, another place, an equal file of somebody else: nothing moves
        ({"k1": (LEEKIM, "x")}, {"kim1": (LEEKIM, "z")}, ["k1"], {"k1": 1}),
        ({"ada": ("ada/a1.ipynb", "x")}, {"ben": ("ben/a1.ipynb", "x")}, ["ada"], {"ada": 1}),
        ({"ada": ("xada.ipynb", "x")}, {"ben": ("ada.ipynb", "x")}, ["ada"], {"ada": 1}),
    ],
)
def test_grades_and_marks_go_with_the_file(tmp_path, before, now, students, points):
    said = []
    with Store(tmp_path / "results.db") as store:
        for student, (file, sha) in before.items():
            store.add(graded(student, f"downloads/class/{file}", sha))
        marked(store, **{id: n for n, id in enumerate(before, 1)})
        found = [handed(student, *of) for student, of in now.items()]
        for _ in range(2):
            corrected_names.carry(store, found, found, tmp_path / "class", said.append)
            found = [dataclasses.replace(s, file=str(tmp_path / s.file)) for s in found]
        assert [result.student for result in store.latest()] == students
        assert marks(store) == points
        assert {kept.mark.marker for kept in store.marks() if kept.mark.points} == {"alice"}
    moved = students != [*before] or points != {id: n for n, id in enumerate(before, 1)}
    assert len(said) == moved, "once, in one sentence"


def test_an_old_name_that_hands_in_again_is_there_again(tmp_path):
    with Store(tmp_path / "results.db") as store:
        first = graded("ada", LEEKIM, "x")
        store.add(first)
        moved_results.carry(store, [moved_results.Move("ada", "ben", "a1", shared=False)])
        assert [r.student for r in store.latest()] == ["ben"]
        assert store.add(first)
        assert [r.student for r in store.latest()] == ["ada", "ben"]
        assert [entry["kind"] for entry in store.history("ben", "a1")] == ["grading"]


CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Assignment 1 (1)
Points Possible,,,,,100
"Lovelace, Ada",1041,,,,
"Ver, Lea",1060,,,,
"Wer, Max",1061,,,,
"""


@pytest.fixture
def class_of_three(tmp_path):
    """Ada, Lea with a mark, and a phantom, all graded; Lea and the phantom leave."""
    out = tmp_path / "out"
    given = (
        "student,name,canvas,section\nada,Ada Lovelace,1041,S\nlea,Lea Ver,1060,S\nmax,Max Wer,,S\n"
    )
    with Store(out / "results.db") as store:
        for student in ("ada", "lea", "__MACOSX"):
            store.add(graded(student, f"class/{student}.ipynb", student))
        marked(store, ada=1, lea=2)
        stored_roster.keep(store, Roster.read(place(tmp_path / "r.csv", given), COURSE))
    gone = place(tmp_path / "left.csv", "student,name\nlea,-\n__MACOSX,-\nmax,-\n")
    return tmp_path, out, gone


@pytest.mark.parametrize("stored", [True, False])
def test_who_has_left_is_in_no_file_and_in_no_statistic(class_of_three, stored):
    root, out, gone = class_of_three
    given = [] if stored else ["--roster", gone]
    if stored:
        in_process.printed("report", out, "--roster", gone)
        for name in ("grades.csv", "to_mark.csv", "results.json", "report.html", "dashboard.html"):
            text = (out / name).read_text(encoding="utf-8")
            assert "ada" in text or name == "dashboard.html"
            assert not any(word in text for word in ("lea,", '"lea"', "Lea Ver", "MACOSX"))
    done = in_process.run(main, "grades", "--out", out, *given)
    assert (done.returncode, "lea has" in done.stderr) == (0, False)
    with open(out / "course_grades.csv", encoding="utf-8") as file:
        assert [row["student"] for row in csv.DictReader(file)] == ["ada"]
    source, to = place(root / "canvas.csv", CANVAS), root / "import.csv"
    words = ["export", "canvas", "--out", out, "--from", source, "--to", to, *given]
    done = in_process.run(main, *words)
    assert done.returncode == 0
    assert "add them to the roster" not in done.stderr, "neither who left with a number nor without"
    assert "grades of 1 student are in it" in done.stdout
    in_process.printed("feedback", "a1", "--out", out, "--to", root / "pages", *given)
    assert [path.parent.name for path in (root / "pages").rglob("a1.html")] == ["ada"]


def test_who_has_left_comes_back_with_a_name_and_nothing_was_lost(class_of_three):
    root, out, gone = class_of_three
    with Store(out / "results.db") as store:
        for text in (gone.read_text(), "student,a1\nlea,+2\n"):
            stored_roster.keep(store, Roster.read(place(root / "x.csv", text), COURSE))
            assert [r.student for r in store.latest()] == ["ada"]
        back = place(root / "x.csv", "student,name\nlea,Lea Ver\n")
        stored_roster.keep(store, Roster.read(back, COURSE))
        assert [r.student for r in store.latest()] == ["ada", "lea"]
        assert marks(store) == {"ada": 1, "lea": 2}
        assert stored_roster.read(store).student("lea").names == {"canvas": "1060"}


def test_a_run_says_who_is_not_graded_and_nothing_of_others(tmp_path):
    """`--only` says nothing of others; who has left is not graded again."""
    out, lines = tmp_path / "out", "student,name,canvas\nada,A,\nsean,S,\nlea,L,1060\n"
    with Store(out / "results.db") as store:
        stored_roster.keep(store, Roster.read(place(tmp_path / "r.csv", lines), COURSE))
    roster = place(tmp_path / "r.csv", "student,name\nlea,-\n")
    for student in ("ada", "verlea_1060_5", "ben"):
        place(tmp_path / "class" / f"{student}_a1.ipynb", EMPTY)
    grade = ["grade", tmp_path / "class", "--out", out, "--roster", roster]
    done = in_process.run(main, *grade)
    assert "not graded, because they have left the class: lea\n" in done.stderr
    assert "a1: nothing from sean\n" in done.stderr
    assert "not in the roster: ben\n" in done.stderr
    done = in_process.run(main, *grade, "--only", "ada")
    assert not any(name in done.stderr for name in ("sean", "ben"))

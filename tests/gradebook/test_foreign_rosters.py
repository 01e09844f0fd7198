"""A roster as spreadsheets save it and as other systems export it; who is new in it."""

import datetime

import in_process
import pytest
from checkout import place
from sample_results import COURSE, sample
from world_tables import cases

from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster
from grader.cli import main
from grader.cli.records.class_list import ClassList
from grader.gradebook import stored_roster
from grader.gradebook.store import Store

ADA = ("ada", "Ada Lovelace", {"github": "ada-l"})


@cases("spreadsheets", "names.toml")
def test_a_roster_is_read_as_spreadsheets_and_platforms_write_it(tmp_path, text, encoding):
    roster = Roster.read(place(tmp_path / "r.csv", text.encode(encoding)), COURSE)
    (found,) = roster.students.values()
    assert (found.id, found.name, dict(found.names)) == ADA


@cases("lists", "names.toml")
def test_lists_of_other_systems_are_a_roster(tmp_path, text, students):
    roster = Roster.read(place(tmp_path / "r.csv", text), COURSE)
    assert roster.unused == ()
    found = [[s.id, s.name, s.group, dict(s.names)] for s in roster.students.values()]
    assert found == students


@pytest.mark.parametrize("header", ["login;name", "Vorname\tNachname\tE-Mail", "netid", ","])
def test_a_list_without_a_student_says_which_columns_it_has(tmp_path, header):
    path = place(tmp_path / "r.csv", f"{header}\n")
    with pytest.raises(CsvError, match="no column student; it needs student, and has .*: rename"):
        Roster.read(path, COURSE)


@cases("newcomers", "names.toml")
def test_who_is_new_or_misspelled_in_a_roster_is_said(tmp_path, stored, given, said):
    out, read = tmp_path / "out", lambda text: Roster.read(place(tmp_path / "r.csv", text), COURSE)
    with Store(out / "results.db") as store:
        store.add(sample("ben"))
        if stored:
            stored_roster.keep(store, read(stored))
        known = ClassList(read(given), stored_roster.read(store), store.students())
    if said.startswith(("new in", "back in", "now another")) or not said:
        assert known.newcomers() == ([said] if said else [])
        return
    with pytest.raises(CsvError) as caught:
        known.newcomers()
    assert said in str(caught.value)


def test_a_misspelled_student_is_refused_by_a_report_and_nothing_is_stored(tmp_path):
    out = tmp_path / "out"
    with Store(out / "results.db") as store:
        store.add(sample("ben"))
        roster = place(tmp_path / "r.csv", "student,name\nben,Benoit\n")
        stored_roster.keep(store, Roster.read(roster, COURSE))
    typing = place(tmp_path / "t.csv", "student,a1\nbne,+2\n")
    for words in (["report", out], ["grades", "--out", out]):
        done = in_process.run(main, *words, "--roster", typing)
        assert (done.returncode, "is it 'ben'?" in done.stderr) == (2, True)
    with Store(out / "results.db") as store:
        assert [*stored_roster.read(store).students] == ["ben"]


BERLIN = COURSE.model_copy(
    update={"facts": COURSE.facts.model_copy(update={"timezone": "Europe/Berlin"})}
)


@cases("dates", "names.toml")
def test_a_date_without_a_zone_is_the_courses(tmp_path, cell, utc):
    roster = Roster.read(place(tmp_path / "r.csv", f"student,a1\nada,{cell}\n"), BERLIN)
    due = roster.terms("ada", "a1").due
    assert due.astimezone(datetime.timezone.utc).isoformat()[:16] == utc

"""A roster as spreadsheets save it and as other systems export it; who is new in it."""

import datetime

import in_process
import pytest
from checkout import place
from sample_results import COURSE, sample

from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster
from grader.cli import main
from grader.cli.records import newcomers
from grader.gradebook import stored_roster
from grader.gradebook.store import Store

ADA = ("ada", "Ada Lovelace", {"github": "ada-l"})


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("student,name,github\nada,Ada Lovelace,ada-l\n", "utf-8"),
        ("student\tname\tgithub\nada\tAda Lovelace\tada-l\n", "utf-8"),
        ("student;name;github\nada;Ada Lovelace;ada-l\n", "utf-8-sig"),
        ("student\tname\tgithub\r\nada\tAda Lovelace\tada-l\r\n", "utf-16"),  # Excel's Unicode text
        ("student;name;github\r\nada;Ada Lovelace;ada-l\r\n", "utf-16"),
        ("\ufeffstudent,name,github\nada,Ada Lovelace,ada-l\n", "utf-16-be"),
        ('student\tname\tgithub\nada\t"Ada Lovelace"\tada-l\n\n', "utf-8"),
        ("name\tgithub\tStudent\nAda Lovelace\tada-l\tada\n", "utf-8-sig"),
        ("student, name, github\nada, Ada Lovelace, ada-l\n", "utf-8"),
        # GitHub Classroom's
        (
            '"identifier","github_username","github_id","name"\n'
            '"ada","ada-l","123","Ada Lovelace"\n',
            "utf-8",
        ),
    ],
)
def test_a_roster_is_read_as_spreadsheets_and_platforms_write_it(tmp_path, text, encoding):
    roster = Roster.read(place(tmp_path / "r.csv", text.encode(encoding)), COURSE)
    (found,) = roster.students.values()
    assert (found.id, found.name, dict(found.names)) == ADA


PARTICIPANTS = "First name,Last name,Email address"


@pytest.mark.parametrize(
    ("text", "students"),
    [
        (f"{PARTICIPANTS}\nAda,Lovelace,ada@x.org\n", [("ada@x.org", "Ada Lovelace", "", {})]),
        (
            f"{PARTICIPANTS},Roles,Groups\nAda,Lovelace,a@x.org,Student,Team 1\n"
            "Tim,Tutor,t@x.org,Non-editing teacher,\n",
            [("a@x.org", "Ada Lovelace", "Team 1", {})],
        ),
        (f"Username,{PARTICIPANTS}\nada,Ada,L,a@x.org\n", [("ada", "Ada L", "", {})]),
        (f"student,{PARTICIPANTS}\nal,Ada,L,a@x.org\n", [("al", "Ada L", "", {})]),
        (
            "Student,ID,SIS User ID,SIS Login ID,Section,Assignment 1 (7)\n"
            "    Points Possible,,,,,100\n"
            '"Lovelace, Ada",1041,,ada,S1,\n"Student, Test",9,,f00,S1,\n',
            [("ada", "Lovelace, Ada", "", {"canvas": "1041"})],
        ),
        ("identifier,github_username,github_id,name\nada,,,\n", [("ada", "", "", {})]),
    ],
)
def test_lists_of_other_systems_are_a_roster(tmp_path, text, students):
    roster = Roster.read(place(tmp_path / "r.csv", text), COURSE)
    assert roster.unused == ()
    found = [(s.id, s.name, s.group, dict(s.names)) for s in roster.students.values()]
    assert found == students


@pytest.mark.parametrize("header", ["login;name", "Vorname\tNachname\tE-Mail", "netid", ","])
def test_a_list_without_a_student_says_which_columns_it_has(tmp_path, header):
    path = place(tmp_path / "r.csv", f"{header}\n")
    with pytest.raises(CsvError, match="no column student; it needs student, and has .*: rename"):
        Roster.read(path, COURSE)


@pytest.mark.parametrize(
    ("stored", "given", "said"),
    [
        ("student,name\nben,B\n", "student,a1\nbne,+2\n", "called 'bne'; is it 'ben'?"),
        ("student,name\nben,B\n", "student,a1\nzoe,waived\n", "called 'zoe' (a new student"),
        ("student\nben\nm13\n", "student,a1\nm14,2027-02-20\n", "called 'm14' (a new student"),
        ("student\nmueller\n", "student,a2\nmuller,excused\n", "is it 'mueller'?"),
        ("student\nada.l\n", "student,a1\nadal,+1\n", "is it 'ada.l'?"),
        # told, and taken
        (
            "student,name\nben,B\n",
            "student,name\nbne,Benno\n",
            "new in the class: bne (nearly ben)",
        ),
        ("student,name\nben,B\n", "student\nzoe\n", "new in the class: zoe"),
        ("student,name\nm13,B\n", "student,name\nm14,C\n", "new in the class: m14"),
        ("", "student,name,a1\nada,A,+1\nbne,B,\n", "new in the class: bne (nearly ben)"),
        (  # a number that is mistyped would move somebody's work
            "student,canvas\nben,7\nzoe,8\n",
            "student,canvas\nzoe,7\nben,9\n",
            "now another student's: canvas 7 (ben → zoe)",
        ),
        ("student,github\nben,B-B\n", "student,github,a1\nben,b-b,+1\n", ""),
        # nothing new
        ("", "student\nada\nzoe\n", ""),
        ("student\nben\n", "student,a1\nben,+2\n", ""),
        ("student\nzoe\n", "student,a1\nben,+2\n", ""),  # graded, though in no roster
        ("student,name\nben,B\nzoe,-\n", "student,a1\nzoe,+2\n", ""),  # has left
        ("student,name\nben,B\nzoe,-\n", "student,name\nzoe,-\n", ""),
        ("student,name\nben,B\nzoe,-\n", "student\nzoe\n", ""),  # it takes a name to be back
        # leaving, and coming back
        ("student,name\nben,B\nlea,L\n", "student,name\nlae,-\n", "'lae'; is it 'lea'?"),
        ("student,name\nben,B\nzoe,-\n", "student,name\nzoe,Z\n", "back in the class: zoe"),
    ],
)
def test_who_is_new_or_misspelled_in_a_roster_is_said(tmp_path, stored, given, said):
    out, read = tmp_path / "out", lambda text: Roster.read(place(tmp_path / "r.csv", text), COURSE)
    with Store(out / "results.db") as store:
        store.add(sample("ben"))
        if stored:
            stored_roster.keep(store, read(stored))
    if said.startswith(("new in", "back in", "now another")) or not said:
        assert newcomers.newcomers(read(given), out, None) == ([said] if said else [])
        return
    with pytest.raises(CsvError) as caught:
        newcomers.newcomers(read(given), out, None)
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


@pytest.mark.parametrize(
    ("cell", "utc"),
    [
        ("2027-02-20 23:59", "2027-02-20T22:59"),
        ("2027-02-20T23:59", "2027-02-20T22:59"),
        ("2027-02-20", "2027-02-20T22:59"),
        ("2027-07-20 23:59", "2027-07-20T21:59"),
        ("2027-02-20 23:59 CET", "2027-02-20T22:59"),
        ("2027-07-20 23:59 CEST waived", "2027-07-20T21:59"),
        ("2027-03-28 12:00", "2027-03-28T10:00"),  # the day on which summer time begins
        ("2027-10-31 02:30", "2027-10-31T00:30"),  # there twice: the first
        ("2027-02-20T23:59Z", "2027-02-20T23:59"),
        ("2027-02-20 23:59 UTC", "2027-02-20T23:59"),
        ("2027-02-20 23:59 -0500", "2027-02-21T04:59"),
    ],
)
def test_a_date_without_a_zone_is_the_courses(tmp_path, cell, utc):
    roster = Roster.read(place(tmp_path / "r.csv", f"student,a1\nada,{cell}\n"), BERLIN)
    due = roster.terms("ada", "a1").due
    assert due.astimezone(datetime.timezone.utc).isoformat()[:16] == utc

"""The roster: what each column means, and one sentence for every mistake in it."""

import datetime

import in_process
import pytest
from checkout import place
from sample_results import COURSE, sample
from world import A1
from world_tables import cases

from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster, Student
from grader.classroom.terms import Allowance, Terms
from grader.cli import main
from grader.cli.records.class_list import ClassList
from grader.gradebook import stored_roster
from grader.gradebook.store import Store

UTC = datetime.timezone.utc


@pytest.fixture
def read(world):
    return world.roster


def test_every_column_is_read(read):
    roster = read(
        "\ufeffstudent;name;section;email;canvas;github;a1;a2;hobby\n"
        "ada;Ada Lovelace;Tuesday;ada@example.org;1041;ada-l;2027-02-20T23:59:00+01:00;+2;chess\n"
        "\n"
        "ben;Benoît;;;1042;;waived;excused;\n"
        "cyd;;;;;;;;\n"
    )
    ada, ben, cyd = (roster.students[id] for id in ("ada", "ben", "cyd"))
    assert (ada.shown, ada.section, ada.email) == ("Ada Lovelace", "Tuesday", "ada@example.org")
    assert ada.names == {"canvas": "1041", "github": "ada-l"}
    assert ada.terms["a1"].due == datetime.datetime(2027, 2, 20, 22, 59, tzinfo=UTC)
    assert ada.terms["a2"] == Terms(more_days=2)
    assert ben.terms == {"a1": Terms(waived=True), "a2": Terms(excused=True)}
    assert (cyd.shown, cyd.names, cyd.terms) == ("cyd", {}, {})


def test_a_cell_may_hold_several_words(read):
    roster = read("student,a1,a2,a3\nada,+2 waived,2027-02-20 23:59 +0100 Waived,excused +1\n")
    terms = roster.student("ada").terms
    assert terms["a1"] == Terms(more_days=2, waived=True)
    due = datetime.datetime(2027, 2, 20, 22, 59, tzinfo=UTC)
    assert terms["a2"] == Terms(due, waived=True)
    assert terms["a3"] == Terms(more_days=1, excused=True)


def test_names_of_columns_match_in_any_case_and_what_is_not_used_is_kept_in_mind(read):
    roster = read("Student,name,A1,a6,Canvas\nada,Ada,+2,+3,1041\n")
    assert roster.terms("ada", "a1").more_days == 2
    assert roster.called("canvas", "1041").id == "ada"
    assert roster.unused == ("a6",)


def test_a_student_may_have_slip_days_grace_and_a_price_of_their_own(read):
    columns = "student,slip_days,grace_minutes,late_penalty_percent"
    roster = read(f"{columns}\nada,5,,\nben,0,90,5\ncyd,,,\n")
    own = {id: student.allowance for id, student in roster.students.items()}
    assert own == {"ada": Allowance(5), "ben": Allowance(0, 90, 5), "cyd": Allowance()}
    assert Student.of("ben", roster.student("ben").cells) == roster.student("ben")


def test_a_due_date_is_the_students_own_or_the_assignments(read):
    roster = read("student,a1\nada,+2\nben,2027-02-20T23:59:00Z\n")
    assert roster.terms("ada", "a1").due_date(A1) == A1.due + datetime.timedelta(days=2)
    assert roster.terms("ben", "a1").due_date(A1).day == 20
    assert roster.terms("nobody", "a1").due_date(A1) == A1.due


def test_a_student_is_found_by_the_name_of_another_system(read):
    roster = read("student,github,canvas\nada,Ada-L,1041\nben,,1042\n")
    assert roster.called("github", "ada-l").id == "ada"
    assert roster.called("canvas", "1042").id == "ben"
    assert roster.called("github", "") is None
    assert roster.called("moodle", "1042") is None
    assert "ada" in roster
    assert "cyd" not in roster
    assert roster.student("cyd") == Student("cyd")


def test_a_student_is_found_by_full_name_or_address_if_only_one_has_it(read):
    roster = read(
        "student,name,email\nada,Ada King Lovelace,ada@example.org\nben,Ben,x@y\ncyd,Ben,X@y\n"
    )
    for name in ("Lovelace, Ada King", "lovelaceadaking", "ada king lovelace"):
        assert roster.named(name).id == "ada"
    assert [roster.named(name) for name in ("Ben", "Ada", "")] == [None] * 3
    assert roster.with_email("Ada@Example.org").id == "ada"
    assert [roster.with_email(address) for address in ("x@y", "")] == [None] * 2


def test_an_excused_student_is_not_missing(read):
    roster = read("student,a1\nada,\nben,excused\ncyd,\n")
    assert roster.missing("a1", {"cyd"}) == ["ada"]
    assert roster.missing("a2", {"cyd"}) == ["ada", "ben"]
    assert roster.assignments == ("a1",)


@cases("bad_rosters")
def test_a_mistake_is_one_sentence_with_its_line(read, text, sentence):
    with pytest.raises(CsvError) as caught:
        read(text)
    (problem,) = caught.value.problems
    assert sentence in problem


def test_a_roster_in_no_known_encoding_is_one_sentence(read):
    with pytest.raises(CsvError, match="not UTF-8 text"):
        read(b"student\n\xff\xfe\n")


def test_all_mistakes_are_listed(read):
    with pytest.raises(CsvError) as caught:
        read("student,a1\nada,soon\nben,later\n")
    assert len(caught.value.problems) == 2


# Rosters as spreadsheets save them and as other systems export them; who is new in one.


ADA = ("ada", "Ada Lovelace", {"github": "ada-l"})


@cases("spreadsheets", "names.toml")
def test_a_roster_is_read_as_spreadsheets_and_platforms_write_it(read, text, encoding):
    roster = read(text.encode(encoding))
    (found,) = roster.students.values()
    assert (found.id, found.name, dict(found.names)) == ADA


@cases("lists", "names.toml")
def test_lists_of_other_systems_are_a_roster(read, text, students):
    roster = read(text)
    assert roster.unused == ()
    found = [[s.id, s.name, s.group, dict(s.names)] for s in roster.students.values()]
    assert found == students


@pytest.mark.parametrize("header", ["login;name", "Vorname\tNachname\tE-Mail", "netid", ","])
def test_a_list_without_a_student_says_which_columns_it_has(read, header):
    with pytest.raises(CsvError, match="no column student; it needs student, and has .*: rename"):
        read(f"{header}\n")


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

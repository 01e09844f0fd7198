"""Tables of Canvas and Moodle with our grades: whose row, which column, and every other byte."""

from __future__ import annotations

import csv
import io
import re

import pytest
from in_process import course
from sample_results import COURSE, sample

from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster
from grader.cli.problems import sentence
from grader.exchange import canvas, moodle
from grader.exchange.patched_csv import PatchedCsv

A1 = COURSE.assignment("a1")


def total(results, student, assignment="a1"):
    [found] = [r for r in results if (r.student, r.assignment) == (student, assignment)]
    return found.totals.total


# ---------------------------------------------------------------- Canvas

CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,A1: Self-attention (98761),Quiz (98762),"
    "Assignment 2 (98763),Assignments Final Score,Final Grade\r\n"
    ',,,,,Manual Posting,,,"(read only)",(read only)\r\n'
    "    Points Possible,,,,,100.00,10,50,(read only),(read only)\r\n"
    '"Lovelace, Ada",1041,s-1,alovelace,"Tue, ""late""",,7.50,12,=x,"+1"\r\n'
    "Mandelbrot Ben,1042,s-2,bm,Fri,1,,,,\r\n"
    "Cyd,1043,s-3,CYD,Fri,,,,,\r\n"
    "Nobody,1099,s-9,nn,Fri,3.0,,,,\r\n"
    '"Student, Test",1,,x,Fri,,,,,\r\n'
)


@pytest.fixture
def exported(tmp_path):
    path = tmp_path / "canvas.csv"
    path.write_bytes(CANVAS.encode())
    return path


def test_canvas_gets_our_columns_and_keeps_every_other_byte(exported, results, roster):
    filled = canvas.filled(exported, results, COURSE, roster)
    a1, a2 = total(results, "ada"), total(results, "ada", "a2")
    expected = CANVAS.replace('late""",,7.50,12', f'late""",{a1:.2f},7.50,{a2 / 2:.2f}')
    expected = expected.replace("bm,Fri,1,,,", f"bm,Fri,{total(results, 'ben'):.2f},,EX,")
    expected = expected.replace("CYD,Fri,", f"CYD,Fri,{total(results, 'cyd'):.2f}")
    assert filled.text == expected
    assert filled.changed == 3
    assert [row.shown for row in filled.unmatched] == ["Nobody (1099)"]
    assert filled.absent == ["=dan"]
    assert "a2: scaled from 100 to 50 points" in filled.notes
    assert not any(note.startswith("a3") for note in filled.notes), "nobody has a grade in it"
    provisional, missing = filled.notes[-2:]
    assert provisional.startswith("4 grades are provisional (written parts not marked): ada a1, ")
    assert missing == "no grade, nothing handed in: cyd a2", "ben is excused from a2"


def test_a_second_export_into_the_first_changes_nothing(exported, results, roster):
    once = canvas.filled(exported, results, COURSE, roster).text
    exported.write_bytes(once.encode())
    assert canvas.filled(exported, results, COURSE, roster).text == once


def test_an_assignment_without_a_result_keeps_what_canvas_has(exported, roster):
    assert canvas.filled(exported, [sample("ben")], COURSE, roster).text.count("7.50,12") == 1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Student,ID", "Name,ID", "line 1: no columns Student and ID"),
        ("    Points Possible", "Points", "no row “Points Possible”"),
        ("Quiz (98762)", "a1 again (98762)", "could both be a1"),
        ("Nobody,1099", "Nobody,1041", "ada is on line 4 too"),
        ("Student,ID", "Student,Number", "line 1: no columns Student and ID"),
        ('"Student, Test"', '"Student, Test', "line 8: a quotation mark is not closed"),
    ],
)
def test_a_file_that_canvas_did_not_export_is_one_sentence(
    exported, results, roster, old, new, told
):
    exported.write_bytes(CANVAS.replace(old, new).encode())
    with pytest.raises(CsvError) as caught:
        canvas.filled(exported, results, COURSE, roster)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["a,b\n1,2", 'a;b\r\n"x;""y""";\r\n\r\n', "a\n\n", "\ufeffa,b\r1,\r", '"a\nb",c\n1,2\n', ""],
)
def test_a_table_that_is_not_changed_keeps_its_bytes(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    assert PatchedCsv.read(path).text().encode() == text.encode()


# ---------------------------------------------------------------- Moodle

MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 501,Ada Lovelace,x@y.org,Submitted,,"50,00",Yes,"Monday, 1 February",-,\n'
    'Participant 502,Ben,b@y.org,Submitted,,100.00,Yes,-,-,"Well done, Ben"\n'
    "Participant 503,Cyd,CYD@example.org,Submitted,,100.00,No,-,-,\n"
    "Participant 504,Eve,e@y.org,No submission,,100.00,Yes,-,-,\n"
)


def test_moodle_gets_grade_and_feedback_and_keeps_the_rest(tmp_path, results, roster):
    path = tmp_path / "worksheet.csv"
    path.write_bytes(MOODLE.encode())
    filled = moodle.filled(path, results, A1, roster)
    before, after = (list(csv.DictReader(io.StringIO(t))) for t in (MOODLE, filled.text))
    ours = ("Grade", "Feedback comments")
    for old, new in zip(before, after, strict=True):
        assert {k: v for k, v in old.items() if k not in ours} == {
            k: v for k, v in new.items() if k not in ours
        }
    ada, ben, cyd, eve = after
    assert ada["Grade"] == f"{total(results, 'ada') / 2:.2f}".replace(".", ",")
    assert ben["Grade"] == f"{total(results, 'ben'):.2f}"
    assert ada["Feedback comments"].startswith("A1: ")
    assert "<br>1.3 Scaled scores: 7 of 8" in ada["Feedback comments"]
    assert "not marked yet" in ada["Feedback comments"]
    assert ben["Feedback comments"] == "Well done, Ben"
    assert (cyd["Grade"], eve["Grade"]) == ("", "")
    assert [row.shown for row in filled.unmatched] == ["Eve (504)"]
    assert "Moodle does not let the grade be changed, left as it was: cyd" in filled.notes
    assert "has feedback from somebody else, which is kept: ben" in filled.notes
    assert "2 grades are provisional (written parts not marked): ada a1, ben a1" in filled.notes
    path.write_bytes(filled.text.encode())
    assert moodle.filled(path, results, A1, roster).text == filled.text


def test_moodle_s_feedback_is_html_in_which_nothing_of_a_student_s_is_code():
    reason = "<script>alert(1)</script>"
    text = moodle.feedback(sample("ada", outcome="LOAD_ERROR", reason=reason))
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


SHEETS = {  # worksheet, then the grade in it of who has 98 of 100 points
    "workflow": ("{i},{n},{n},{n},{n},{n},Workflow,{n},{n},{n}\n"
                 "参加者7,Ada Lovelace,ada@example.org,x,,100,未評定,はい,-,\n", "98.00"),
    "anonymous": ("{i},{n},{n},{n},{n},{n},{n}\nУчастник7,Нет ответа,,\"50,00\",Да,-,\n",
                  '"49,00"'),
    "more about people": ("{i},{n},{n},{n},{n},{n},{n},{n},{n},{n}\n"
                          "Deelnemer7,A. L.,1234,06 12345678,ada@example.org,x,,200.00,Ja,-\n",
                          "196.00"),
    "online text": ("{i},{n},{n},{n},{n},{n},{n},{n},{n},{n}\n"
                    "Teilnehmer/in7,Ada Lovelace,x,3.00,100.00,Ja,\"1. Mai 2027, 9:00\",2027,-,\n",
                    "98.00"),
    "room for the bonus": ("{i},{n},{n},{n},{n},{n},{n}\nكشارم7,Ada Lovelace,,110.00,نعم,-,\n",
                           "98.00"),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHEETS)
def test_moodle_s_columns_are_found_by_their_shape(tmp_path, roster, shape):
    text, grade = SHEETS[shape]
    text = text.format(i="Ⅰ", n="…")
    path = tmp_path / "worksheet.csv"
    path.write_text(text, encoding="utf-8")
    came = sample("ada").submission.model_copy(
        update={"file": "in/Ada Lovelace_7_assignsubmission_file/a1.ipynb"}
    )
    filled = moodle.filled(path, [sample("ada").changed(A1, submission=came)], A1, roster)
    assert filled.changed == 1
    [header, row] = filled.text.splitlines()
    assert header == text.splitlines()[0]
    before = text.splitlines()[1]
    cell = next(n for n in range(len(before)) if before[n] != row[n])
    assert row[cell:].startswith(grade) or f",{grade}," in row
    assert ("A1: 98 of 100" in row) == (shape != "more about people"), "no column for feedback"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Student,ID\nAda,1041\n", "no column of participants"),
        ("Identifier,Full name,Status,Grade\n", "no column of participants"),
        ('ID,N,S,Note,Skala,Ja\nTeilnehmer/in7,Ada,x,,"nicht\nbestanden",Ja\n', "set the assign"),
        ("ID,N,S,Grade,Max,Yes\nParticipant 7,Ada,x,,0.00,Yes\n", "set the assignment's grade to"),
    ],
)
def test_a_worksheet_without_points_is_one_sentence(tmp_path, roster, text, said):
    path = tmp_path / "worksheet.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CsvError, match=said):
        moodle.filled(path, [sample("ada")], A1, roster)


@pytest.mark.parametrize("no", ["Nein", "Non", "Não", "いいえ", "لا", "Нет"])
def test_a_grade_that_moodle_locks_is_left_in_any_language(tmp_path, roster, no):
    path = tmp_path / "worksheet.csv"
    path.write_text(MOODLE.replace("Yes", no), encoding="utf-8")
    filled = moodle.filled(path, [sample("ada"), sample("ben")], A1, roster)
    assert (filled.changed, filled.text) == (0, MOODLE.replace("Yes", no))


# ---------------------------------------------------------------- whose row it is

HEAD = "Student,ID,SIS Login ID,Section,A1 (7)\n    Points Possible,,,,100\n"
ROWS = {  # roster, hand-ins (student: path), rows of Canvas, and whose grade is in each row
    "the number of the hand-in": (
        "student,name\n", {"leekim_1047_6": "in/leekim_1047_6_a1.ipynb"},
        '"Lee, Kim",1047,kl,x,\n"Lee, Kim",1048,kl2,x,\n', ["leekim_1047_6", None]),
    "the roster's number": (
        "student,name,canvas\nada,,1041\n", {"ada": "in/ada/a1.ipynb"},
        "Somebody,1041,al,x,\n", ["ada"]),
    "a unique name, in any order": (
        "student,name\nben,Benoît Mandelbrot\n", {"ben": "in/ben/a1.ipynb"},
        '"Mandelbrot, Benoi\u0302t",1042,bm,x,\n', ["ben"]),
    "a folder with the whole name": (
        "student,name\n", {"Ada Lovelace": "in/Ada Lovelace/a1.ipynb"},
        '"Lovelace, Ada",1041,al,x,\n', ["Ada Lovelace"]),
    "two rows of one name": (
        "student,name\nkim,Kim Lee\n", {"kim": "in/kim/a1.ipynb"},
        '"Lee, Kim",1047,a,x,\n"Lee, Kim",1048,b,x,\n', [None, None]),
    "two students of one name": (
        "student,name\nkim1,Kim Lee\nkim2,Kim Lee\n", {"kim1": "a", "kim2": "b"},
        '"Lee, Kim",1047,a,x,\n', [None]),
    "a name, but another number": (
        "student,name,canvas\nkim,Kim Lee,1049\n", {"kim": "in/kim/a1.ipynb"},
        '"Lee, Kim",1047,a,x,\n', [None]),
    "a number that the roster gives to another": (
        "student,name,canvas\nkim1,Kim Lee,\nkim2,Kim L,1047\n",
        {"kim1": "in/leekim_1047_6_a1.ipynb", "kim2": "in/kim2/a1.ipynb"},
        '"Lee, Kim",1047,kim1,x,\n', [None]),
    "a number that the roster has since": (
        "student,name,canvas\nkim,Kim Lee,1047\n",
        {"leekim_1047_6": "in/leekim_1047_6_a1.ipynb", "kim": "in/kim/a1.ipynb"},
        '"Lee, Kim",1047,a,x,\n', ["kim"]),
    "the login or the address": (
        "student,email\nada,\nben,b@x.org\n", {"ada": "in/ada/a1.ipynb", "ben": "in/b.ipynb"},
        "A,1,ADA,x,\nB,2,b@x.org,x,\n", ["ada", "ben"]),
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS)
def test_a_row_is_whose_number_it_has_then_whose_name(tmp_path, case):
    list_, files, rows, owners = ROWS[case]
    (tmp_path / "roster.csv").write_text(list_, encoding="utf-8")
    (tmp_path / "canvas.csv").write_text(HEAD + rows, encoding="utf-8")
    class_ = Roster.read(tmp_path / "roster.csv", COURSE)
    handed_in = []
    for number, (student, file) in enumerate(files.items()):
        result = sample(student, not_written=("1.1", "1.2", "1.3")[:number])
        came = result.submission.model_copy(update={"file": file})
        handed_in.append(result.changed(A1, submission=came))
    filled = canvas.filled(tmp_path / "canvas.csv", handed_in, COURSE, class_)
    grades = {r.student: f"{r.totals.total:.2f}" for r in handed_in}
    cells = [line.rsplit(",", 1)[1] for line in filled.text.splitlines()[2:]]
    assert cells == [grades.get(student, "") for student in owners]
    assert len(filled.unmatched) == owners.count(None)


def test_a_worksheet_of_another_assignment_is_told(tmp_path, roster):
    path = tmp_path / "worksheet.csv"
    path.write_text(MOODLE, encoding="utf-8")
    ada = sample("ada")
    came = ada.submission.model_copy(
        update={"file": "in/Ada Lovelace_7_assignsubmission_file/a1.ipynb"}
    )
    filled = moodle.filled(path, [ada.changed(A1, submission=came)], A1, roster)
    assert any("check that it belongs to this course and assignment" in n for n in filled.notes)
    assert not any("make sure" in n for n in moodle.filled(path, [sample("ada")], A1, roster).notes)


def test_a_cell_that_canvas_does_not_import_is_left(exported, results, roster):
    exported.write_bytes(CANVAS.replace("bm,Fri,1,", "bm,Fri,N/A,").encode())
    filled = canvas.filled(exported, results, COURSE, roster)
    assert "bm,Fri,N/A," in filled.text
    assert "left as N/A, as Canvas does not assign it: ben a1" in filled.notes


# ---------------------------------------------------------------- the command


def test_export_writes_the_file_and_lists_whom_it_could_not_match(
    graded, exported, roster, tmp_path
):
    to = tmp_path / "new" / "to_canvas.csv"
    given = ("--roster", tmp_path / "roster.csv", "--from", exported)
    done = course("export", "canvas", "--out", graded, "--to", to, *given)
    assert done.exit_code == 0, done.output
    assert to.read_bytes().startswith(CANVAS.encode()[:40])
    assert "no student here, or more than one, fits: Nobody (1099); for a student of" in done.output
    assert "graded here, but without a row in the file: =dan" in done.output
    for format in ("junit", "csv"):
        done = course("export", format, "a1", "--out", graded, "--to", tmp_path / format)
        assert done.exit_code == 0, done.output
        assert (tmp_path / format).stat().st_size > 1000


def test_a_file_in_which_nothing_can_be_filled_is_an_error_and_writes_nothing(
    graded, exported, tmp_path
):
    exported.write_bytes(re.sub(r"(?m)^(?=.*Fri|\"Lov).*\r\n", "", CANVAS).encode())
    with exported.open("ab") as file:
        file.write(b"Zoe,1,,zoe,Fri,,,,,\r\n")
    to = tmp_path / "to.csv"
    done = course("export", "canvas", "--out", graded, "--to", to, "--from", exported)
    code, told = sentence(done.exception)
    assert code == 2
    assert "no grade to fill in, so nothing was written" in told
    assert "Zoe (1); for a student of yours, write the number" in told
    assert len(told.splitlines()) <= 3
    assert not to.exists()

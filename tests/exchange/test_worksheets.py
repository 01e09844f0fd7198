"""Tables of Canvas and Moodle with our grades: whose row, which column, and every other byte."""

import re

import pytest
from sample_results import sample
from world import A1, COURSE, handed_in, marks, table
from world_tables import cases

from grader.classroom.csv_file import CsvError
from grader.exchange import canvas, moodle
from grader.exchange.patched_csv import PatchedCsv
from grader.gradebook import manual


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
def exported(world):
    return world.file("canvas.csv", CANVAS)


@pytest.fixture
def worksheet(world, roster):
    """Fills in Moodle's worksheet of this text with these results."""

    def filled(text, *results):
        path = world.file("worksheet.csv", text)
        return moodle.filled(path, [*results] or [sample("ada")], A1, roster)

    return filled


BY_FOLDER = handed_in("ada", file="in/Ada Lovelace_7_assignsubmission_file/a1.ipynb")


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


@cases("not_of_canvas")
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
def test_a_table_that_is_not_changed_keeps_its_bytes(world, text):
    assert PatchedCsv.read(world.file("table.csv", text)).text().encode() == text.encode()


# ---------------------------------------------------------------- Moodle

MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 501,Ada Lovelace,x@y.org,Submitted,,"50,00",Yes,"Monday, 1 February",-,\n'
    'Participant 502,Ben,b@y.org,Submitted,,100.00,Yes,-,-,"Well done, Ben"\n'
    "Participant 503,Cyd,CYD@example.org,Submitted,,100.00,No,-,-,\n"
    "Participant 504,Eve,e@y.org,No submission,,100.00,Yes,-,-,\n"
)


def test_moodle_gets_grade_and_feedback_and_keeps_the_rest(worksheet, results):
    filled = worksheet(MOODLE, *results)
    before, after = table(MOODLE), table(filled.text)
    for old, new in zip(before, after, strict=True):
        ours = {key: old[key] for key in ("Grade", "Feedback comments")}
        assert new | ours == old
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
    assert worksheet(filled.text, *results).text == filled.text


def test_moodle_s_feedback_is_html_in_which_nothing_of_a_student_s_is_code():
    reason = "<script>alert(1)</script>"
    text = moodle.feedback(sample("ada", outcome="LOAD_ERROR", reason=reason))
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


@cases("sheets")
def test_moodle_s_columns_are_found_by_their_shape(worksheet, text, grade, feedback):
    text = text.format(i="Ⅰ", n="…")
    filled = worksheet(text, BY_FOLDER)
    assert filled.changed == 1
    [header, row] = filled.text.splitlines()
    assert header == text.splitlines()[0]
    before = text.splitlines()[1]
    cell = next(n for n in range(len(before)) if before[n] != row[n])
    assert row[cell:].startswith(grade) or f",{grade}," in row
    assert ("A1: 98 of 100" in row) == feedback, "there may be no column for feedback"


@cases("without_points")
def test_a_worksheet_without_points_is_one_sentence(worksheet, text, said):
    with pytest.raises(CsvError, match=said):
        worksheet(text)


@pytest.mark.parametrize("no", ["Nein", "Non", "Não", "いいえ", "لا", "Нет"])
def test_a_grade_that_moodle_locks_is_left_in_any_language(worksheet, no):
    text = MOODLE.replace("Yes", no)
    filled = worksheet(text, sample("ada"), sample("ben"))
    assert (filled.changed, filled.text) == (0, text)


# ---------------------------------------------------------------- whose row it is

HEAD = "Student,ID,SIS Login ID,Section,A1 (7)\n    Points Possible,,,,100\n"


@cases("rows")
def test_a_row_is_whose_number_it_has_then_whose_name(world, roster, files, rows, owners):
    results = [
        handed_in(result=sample(student, not_written=("1.1", "1.2", "1.3")[:number]), file=file)
        for number, (student, file) in enumerate(files.items())
    ]
    exported = world.file("canvas.csv", HEAD + rows)
    filled = canvas.filled(exported, results, COURSE, world.roster(roster))
    grades = {r.student: f"{r.totals.total:.2f}" for r in results}
    cells = [line.rsplit(",", 1)[1] for line in filled.text.splitlines()[2:]]
    assert cells == [grades.get(student, "") for student in owners]
    assert len(filled.unmatched) == owners.count("")


ADA = {"split names": "Lovelace,Ada,1041,al,x,", "semicolons": '"Lovelace, Ada";1041;al;x;'}


@pytest.mark.parametrize("form", ADA)
def test_canvas_may_split_names_or_write_decimal_commas(form, world, roster):
    head = HEAD.replace("Student,", "LastName,FirstName,").replace("Possible,", "Possible,,")
    if form == "semicolons":
        head = f"\ufeff{HEAD}".replace(",", ";").replace("100", "100,00")
    exported = world.file("canvas.csv", f"{head}{ADA[form]}\n")
    filled = canvas.filled(exported, [sample("ada")], COURSE, roster)
    grade = "98,00" if form == "semicolons" else "98.00"
    assert filled.text == f"{head}{ADA[form]}{grade}\n"


def test_a_grade_above_moodles_maximum_is_written_as_the_maximum(worksheet):
    given = marks(*(("ada", f"1.11.{part}", 4.0) for part in "abc"))
    filled = worksheet(MOODLE.replace("50,00", "100,00"), manual.apply(sample("ada"), given))
    assert table(filled.text)[0]["Grade"] == "100,00"
    assert any("for room set it to 110 there" in note for note in filled.notes)


def test_a_worksheet_of_another_assignment_is_told(worksheet):
    filled = worksheet(MOODLE, BY_FOLDER)
    assert any("check that it belongs to this course and assignment" in n for n in filled.notes)
    assert not any("make sure" in note for note in worksheet(MOODLE).notes)


def test_a_cell_that_canvas_does_not_import_is_left(exported, results, roster):
    exported.write_bytes(CANVAS.replace("bm,Fri,1,", "bm,Fri,N/A,").encode())
    filled = canvas.filled(exported, results, COURSE, roster)
    assert "bm,Fri,N/A," in filled.text
    assert "left as N/A, as Canvas does not assign it: ben a1" in filled.notes


# ---------------------------------------------------------------- the command


def test_export_writes_the_file_and_lists_whom_it_could_not_match(graded, exported, roster):
    to = graded.folder / "new" / "to_canvas.csv"
    given = ("--roster", graded.folder / "roster.csv", "--from", exported, "--to", to)
    done = graded.run("export", "canvas", *given)
    told = done.stdout + done.stderr
    assert to.read_bytes().startswith(CANVAS.encode()[:40])
    assert "no student here, or more than one, fits: Nobody (1099); for a student of" in told
    assert "graded here, but without a row in the file: =dan" in told
    for format in ("junit", "csv"):
        graded.run("export", format, "a1", "--to", graded.folder / format)
        assert (graded.folder / format).stat().st_size > 1000


def test_a_file_in_which_nothing_can_be_filled_is_an_error_and_writes_nothing(graded, exported):
    ours = re.sub(r"(?m)^(?=.*Fri|\"Lov).*\r\n", "", CANVAS)
    exported.write_bytes(f"{ours}Zoe,1,,zoe,Fri,,,,,\r\n".encode())
    to = graded.folder / "to.csv"
    told = graded.run("export", "canvas", "--to", to, "--from", exported, code=2).stderr
    assert "no grade to fill in, so nothing was written" in told
    assert "Zoe (1); for a student of yours, write the number" in told
    assert len(told.splitlines()) <= 3
    assert not to.exists()

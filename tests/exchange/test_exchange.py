"""Exports: each file is read back by the rules of the system that it is for."""

from __future__ import annotations

import csv
import datetime
import io
import re
from xml.etree import ElementTree

import pytest
from in_process import course
from sample_results import COURSE, sample

from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster
from grader.cli.problems import sentence
from grader.cli.records.gradebook_options import FORMATS
from grader.exchange import canvas, junit, moodle, results_files
from grader.exchange.kept_csv import KeptCsv
from grader.gradebook.store import Store

A1 = COURSE.assignment("a1")
MESSAGE = {"expected": "[0.5 0.5]", "got": "<b>nan</b> \x1b & ]]>", "cause": "no mask", "read": ""}
FAILED = {"1.3": [{"message": MESSAGE}], "1.4": [{"outcome": "TIMEOUT", "message": None}]}


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text(
        "student,name,section,email,canvas,moodle,a2\n"
        "ada,Ada Lovelace,Tue,ada@example.org,1041,Participant 501,\n"
        "ben,=Ben,Fri,ben@example.org,1042,502,excused\n"
        "cyd,Cyd,Fri,cyd@example.org,,,\n"
    )
    return Roster.read(path, COURSE)


@pytest.fixture(scope="module")
def results():
    failed = sample("ada", failed=FAILED)
    invalid = sample("=dan", outcome="INVALID", reason="not a notebook", exercises=[])
    return [failed, sample("ada", "a2"), sample("ben"), sample("cyd"), invalid]


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
    expected = CANVAS.replace('late""",,7.50,12', f'late""",{a1:g},7.50,{a2 / 2:g}')
    expected = expected.replace("bm,Fri,1,,,", f"bm,Fri,{total(results, 'ben'):g},,EX,")
    expected = expected.replace("CYD,Fri,", f"CYD,Fri,{total(results, 'cyd'):g}")
    assert filled.text == expected
    assert filled.changed == 3
    assert filled.unmatched == ["line 7: Nobody"]
    assert filled.absent == ["=dan"]
    assert "a2: scaled from 100 to 50 points" in filled.notes
    assert any(note.startswith("a3: no column") for note in filled.notes)
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
        ("Student,ID", "Name,ID", "line 1: no column 'Student'"),
        ("    Points Possible", "Points", "no row “Points Possible”"),
        ("Quiz (98762)", "a1 again (98762)", "could both be a1"),
        ("Nobody,1099", "Nobody,1041", "ada is on line 4 too"),
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
    assert KeptCsv.read(path).text().encode() == text.encode()


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
    assert filled.unmatched == ["line 5: Eve (Participant 504)"]
    assert any("cyd: Moodle does not let this grade be changed" in note for note in filled.notes)
    assert any("ben has feedback of somebody else" in note for note in filled.notes)
    assert "2 grades are provisional (written parts not marked): ada a1, ben a1" in filled.notes
    path.write_bytes(filled.text.encode())
    assert moodle.filled(path, results, A1, roster).text == filled.text


def test_moodle_s_feedback_is_html_in_which_nothing_of_a_student_s_is_code():
    reason = "<script>alert(1)</script>"
    text = moodle.feedback(sample("ada", outcome="LOAD_ERROR", reason=reason))
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


# ---------------------------------------------------------------- JUnit XML


def check_schema(root):
    """The rules of the schema that CI servers share: attributes, counts and order of elements."""
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) <= {
            *("name", "tests", "failures", "errors", "skipped", "time", "timestamp")
        }
        tags = [child.tag for child in suite]
        assert tags == sorted(tags, key=["properties", "testcase"].index)
        assert all(set(p.attrib) == {"name", "value"} for p in suite.iter("property"))
        cases = suite.findall("testcase")
        for case in cases:
            assert set(case.attrib) == {"classname", "name"}
            assert len(case) <= 1
            for problem in case:
                assert problem.tag in ("failure", "error", "skipped")
                assert "message" in problem.attrib
                assert problem.tag == "skipped" or "type" in problem.attrib
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(name)) == len(list(suite.iter(tag)))
        assert int(suite.get("tests")) == len(cases)
        if "timestamp" in suite.attrib:
            datetime.datetime.strptime(suite.get("timestamp"), "%Y-%m-%dT%H:%M:%S")
        float(suite.get("time"))
    for name in ("tests", "failures", "errors"):
        assert int(root.get(name)) == sum(int(suite.get(name)) for suite in root)


def test_junit_keeps_to_the_common_schema_and_says_what_failed(results):
    root = ElementTree.fromstring(junit.to_xml(results))
    check_schema(root)
    suites = {suite.get("name"): suite for suite in root}
    ada = suites["ada a1"]
    assert ada.get("failures") == "1"
    assert ada.get("errors") == "1"
    [failure] = ada.iter("failure")
    assert "expected: [0.5 0.5]" in failure.text
    assert "<b>nan</b> ⟨U+001B⟩ & ]]>" in failure.text
    assert int(ada.get("tests")) == len(results[0].tests) + len(results[0].parts)
    assert int(ada.get("skipped")) == results[0].totals.manual_pending
    [error] = suites["=dan a1"].iter("error")
    assert (error.get("type"), error.get("message")) == ("INVALID", "not a notebook")


# ---------------------------------------------------------------- long form


TYPES = dict.fromkeys(("received", "graded_at"), "timestamp") | {
    "late_days": "int32", "bonus": "bool", "visible": "bool"
} | dict.fromkeys(("assignment_points", "assignment_max", "exercise_points", "exercise_max",
                   "points", "max_points"), "float64")  # fmt: skip


def test_the_long_form_has_a_row_for_every_test(results, roster):
    rows = [*results_files.rows(results, roster)]
    assert all([*row] == [*results_files.COLUMNS] for row in rows)
    of_ada = [row for row in rows if (row["student"], row["assignment"]) == ("ada", "a1")]
    assert len(of_ada) == len(results[0].tests) + len(results[0].parts)
    earned = sum(row["points"] for row in of_ada if row["points"] and not row["bonus"])
    assert round(earned, 2) == results[0].totals.automatic
    assert {row["exercise"] for row in of_ada} >= {"A1.1", "A1.10"}
    assert {row["name"] for row in of_ada} == {"Ada Lovelace"}
    assert sum(row["outcome"] == "pending" for row in of_ada) == results[0].totals.manual_pending
    [invalid] = [row for row in rows if row["student"] == "=dan"]
    assert (invalid["submission_outcome"], invalid["exercise"]) == ("INVALID", None)


def test_the_csv_holds_the_same_and_no_cell_starts_a_formula(results, roster):
    import pyarrow
    from pyarrow import csv as reader

    text = results_files.to_long_csv(results, roster)
    for row in csv.reader(io.StringIO(text)):
        assert not any(cell.startswith(("=", "+", "@", "-")) for cell in row)
    types = {
        name: pyarrow.timestamp("s", tz="UTC") if kind == "timestamp" else kind
        for name, kind in (dict.fromkeys(results_files.COLUMNS, "string") | TYPES).items()
    }
    options = reader.ConvertOptions(
        column_types={n: pyarrow.type_for_alias(t) if isinstance(t, str) else t
                      for n, t in types.items()},
        strings_can_be_null=True,
    )  # fmt: skip
    read = reader.read_csv(
        io.BytesIO(text.encode()),
        convert_options=options,
        parse_options=reader.ParseOptions(newlines_in_values=True),
    )
    back = [{**row, "student": row["student"].lstrip("'")} for row in read.to_pylist()]
    for row, expected in zip(back, results_files.rows(results, roster), strict=True):
        expected = expected | {"name": row["name"]} if expected["name"] == "=Ben" else expected
        assert row == expected


# ---------------------------------------------------------------- the command


@pytest.fixture
def graded(tmp_path, results):
    with Store(tmp_path / "grades" / "results.db") as store:
        for result in results:
            store.add(result)
    return tmp_path / "grades"


def test_export_writes_the_file_and_lists_whom_it_could_not_match(
    graded, exported, roster, tmp_path
):
    to = tmp_path / "new" / "to_canvas.csv"
    given = ("--roster", tmp_path / "roster.csv", "--from", exported)
    done = course("export", "canvas", "--out", graded, "--to", to, *given)
    assert done.exit_code == 0, done.output
    assert to.read_bytes().startswith(CANVAS.encode()[:40])
    assert "nobody here (add them to the roster): line 7: Nobody" in done.output
    assert "graded here, but not in the file: =dan" in done.output
    for format in ("junit", "csv"):
        done = course("export", format, "a1", "--out", graded, "--to", tmp_path / format)
        assert done.exit_code == 0, done.output
        assert (tmp_path / format).stat().st_size > 1000


def test_help_names_every_format():
    told = re.findall(r"\w+", course("export", "--help").output)
    assert " ".join(FORMATS) in " ".join(told)


def test_a_wrong_call_is_one_sentence(graded, tmp_path):
    to = ("--to", tmp_path / "x.csv", "--out", graded)
    for arguments, told in [
        (("blackboard", *to), "there is no format 'blackboard'; there are canvas, moodle"),
        (("canvas", *to), "give the gradebook that Canvas exported with --from"),
        (("moodle", "--from", tmp_path / "none.csv", *to), "say which assignment"),
        (("csv", "a9", *to), "no assignment 'a9'"),
        (("csv", "a5", *to), "no result of a5"),
        (("csv", "--out", tmp_path, "--to", tmp_path / "x"), "no results here"),
        (("csv", "--out", graded, "--to", tmp_path), "is a folder"),
    ]:
        assert told in str(course("export", *arguments).exception)
    for place in (graded / "results.db", graded / "results.db" / "folder"):
        problem = course("export", "csv", "--out", graded, "--to", place / "x.csv").exception
        told = f"{place}: a file is where a folder must be: give another place"
        assert sentence(problem) == (2, told)

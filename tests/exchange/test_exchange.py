"""Exports: each file is read back by the rules of the system that it is for."""

import csv
import datetime
import io
import re
from xml.etree import ElementTree

from in_process import course
from world_tables import cases

from grader.cli.records.gradebook_options import FORMATS
from grader.exchange import junit, results_files

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


def test_help_names_every_format():
    told = re.findall(r"\w+", course("export", "--help").output)
    assert " ".join(FORMATS) in " ".join(told)


@cases("wrong_exports")
def test_a_wrong_call_is_one_sentence(graded, words, told):
    words = words.replace("FOLDER", str(graded.folder)).replace("OUT", str(graded.out))
    assert told in str(course("export", *words.split()).exception)


def test_a_file_where_a_folder_must_be_is_one_sentence(graded):
    for place in (graded.out / "results.db", graded.out / "results.db" / "folder"):
        told = f"{place}: a file is where a folder must be: give another place"
        assert graded.refused("export", "csv", "--to", place / "x.csv") == told

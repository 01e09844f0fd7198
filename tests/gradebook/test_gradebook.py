"""The results store, manual marks, lateness and exports."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys

import pytest
from sample_results import COURSE, IN_TIME, sample

from grader.classroom.csv_file import CsvError, restored, safe
from grader.exchange import results_files
from grader.gradebook import manual, marking_worklist
from grader.gradebook.lateness import lateness
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.result import Result, key_of
from grader.gradebook.store import GradebookError, Store

A1 = COURSE.assignment("a1")
SCORES = {"1.3": [{"message": {"expected": "1", "got": "2", "cause": "", "read": ""}}]}


# ---------------------------------------------------------------- store


def test_a_result_is_found_by_what_it_depends_on(tmp_path):
    result = sample()
    with Store(tmp_path / "new" / "results.db") as store:
        assert store.find(key_of(result)) is None
        assert store.add(result)
        assert store.find(key_of(result)) == result
        for name, other in [("tier", "C"), ("seed", 1), ("suite_sha256", "0")]:
            assert store.find(key_of(result)._replace(**{name: other})) is None
    with Store(tmp_path / "new" / "results.db") as store:
        assert store.latest() == [result]


def test_adding_twice_changes_nothing_and_times_are_not_compared(tmp_path):
    with Store(tmp_path / "results.db") as store:
        store.add(sample())
        assert not store.add(sample(seconds=9.9, graded_at="2027-03-01T00:00:00+00:00"))
        assert len(store.history("s01", "a1")) == 1


def test_latest_is_the_newest_of_each_student_and_assignment(tmp_path):
    first, second = sample(), sample(failed=SCORES, suite_sha256="new")
    with Store(tmp_path / "results.db") as store:
        for result in (first, second, sample("s02"), sample("s01", "a2")):
            store.add(result)
        assert [(r.student, r.assignment) for r in store.latest()] == [
            ("s01", "a1"),
            ("s01", "a2"),
            ("s02", "a1"),
        ]
        assert store.latest("a1")[0].suite_sha256 == "new"
        assert store.add(first), "going back to an earlier submission makes that one count again"
        assert store.latest("a1")[0] == first


def test_a_failure_of_the_grader_replaces_no_grade_of_the_same_files(tmp_path):
    failed = sample(outcome="UNGRADED", suite_sha256="new")
    with Store(tmp_path / "results.db") as store:
        assert store.add(failed), "without a grade, the row says so"
        assert store.add(sample())
        before = store.history("s01", "a1")
        assert not store.add(failed)
        assert store.latest() == [sample()]
        assert store.history("s01", "a1") == before
        other = failed.submission.model_copy(update={"sha256": "other"})
        assert store.add(failed.model_copy(update={"submission": other})), "new files, no grade"


def test_history_says_what_changed_and_by_how_many_points(tmp_path):
    with Store(tmp_path / "results.db") as store:
        store.add(sample())
        store.add(sample(failed=SCORES, suite_sha256="new", tier="C"))
        first, second = store.history("s01", "a1")
        assert store.history("nobody", "a1") == []
    assert first["changed"] == []
    assert second["changed"] == ["suite", "tier"]
    assert second["exercises"] == {"1.3": -1.0}
    assert second["sentence"] == "suite and tier changed: 1.3 8 → 7"


def test_names_and_texts_that_are_no_valid_unicode_are_stored(tmp_path):
    result = sample("caf\udce9\0", reason="\ud800")
    with Store(tmp_path / "results.db") as store:
        assert store.add(result)
        assert store.find(key_of(result)) == result
        assert not store.add(result)


def test_a_database_in_use_is_one_sentence_and_nothing_is_lost(tmp_path):
    path = tmp_path / "results.db"
    with Store(path, wait_seconds=0.1) as store:
        store.add(sample())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GradebookError, match="in use by another program"):
            store.add(sample("s02"))
        assert store.latest() == [sample()], "reading goes on"
        other.execute("ROLLBACK")
        assert store.add(sample("s02"))


def test_a_full_disk_is_one_sentence_and_nothing_is_lost(tmp_path):
    with Store(tmp_path / "results.db") as store:
        store.add(sample())
        with store.connected() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        with pytest.raises(GradebookError, match="no space left .* is safe"):
            store.add(sample("s02", reason="x" * 1_000_000))
        assert store.latest() == [sample()]


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("file/results.db", "cannot be written here"),
        ("file/locked/full.db", "cannot be written here"),
        ("file", "not a gradebook"),
        ("nowhere://x", "cannot be used"),
        ("postgresql+nodriver://x/y", "cannot be used"),
    ],
)
def test_a_place_that_cannot_hold_a_store(tmp_path, monkeypatch, place, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("no database at all, but long enough to look at\n" * 40)
    with pytest.raises(GradebookError, match=told) as error, Store(place):
        pass
    assert "\n" not in str(error.value)


def test_a_read_only_database(tmp_path):
    path = tmp_path / "results.db"
    with Store(path) as store:
        store.add(sample())
    with Store(f"sqlite:///file:{path}?mode=ro&uri=true") as store:
        assert store.latest() == [sample()]
        with pytest.raises(GradebookError, match="cannot be written"):
            store.add(sample("s02"))


def test_importing_is_light():
    code = (
        "import sys, grader.gradebook.store, grader.exchange.results_files; "
        "print([m for m in ('torch', 'numpy', 'jinja2') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


# ---------------------------------------------------------------- marks given by hand


def read(tmp_path, *rows, header="student,assignment,item,points,comment"):
    path = tmp_path / "marks.csv"
    path.write_bytes("\n".join([header, *rows]).encode("utf-8"))
    return manual.read(path, COURSE)


def test_marks_fill_parts_and_totals(tmp_path):
    result = sample(failed=SCORES)
    marks = read(tmp_path, 's01,a1,1.11.a,3.5,"Good,\nand short"', "s01,a1,1.11.b,,See §3.5")
    new = manual.apply(result, marks)
    written = next(e for e in new.exercises if e.kind == "written")
    assert [p.points for p in written.parts] == [3.5, None, None]
    assert [p.comment for p in written.parts] == ["Good,\nand short", "See §3.5", ""]
    assert (written.points, written.status) == (3.5, "partly marked")
    assert new.totals.as_json() == {
        "automatic": 87.0,
        "automatic_max": 88.0,
        "manual": 3.5,
        "manual_max": 12.0,
        "manual_pending": 2,
        "bonus": 10.0,
        "total": 100.5,
        "max": 100.0,
        "late_days": 0,
        "late_penalty": 0.0,
    }
    assert result == sample(failed=SCORES), "the argument is kept"
    assert manual.apply(new, marks) == new
    assert manual.apply(new, ManualMarks(COURSE)) == result, "a mark that was withdrawn"


def test_no_mark_at_all_is_pending_and_not_zero():
    totals = manual.apply(sample(), ManualMarks(COURSE)).totals
    assert (totals.manual, totals.manual_pending) == (None, 3)


def test_all_parts_marked(tmp_path):
    new = manual.apply(sample(), read(tmp_path, *(f"s01,a1,1.11.{p},0," for p in "abc")))
    assert next(e for e in new.exercises if e.kind == "written").status == "marked"
    assert (new.totals.manual, new.totals.manual_pending) == (0.0, 0)


def test_an_override_keeps_what_was_there_and_can_be_taken_back(tmp_path):
    result = sample(failed=SCORES)
    marks = read(tmp_path, "s01,a1,1.3,8,the hint was wrong", "s01,a1,1.1,,well done")
    new = manual.apply(result, marks)
    assert [override.as_json() for override in new.overrides] == [
        {"exercise": "1.3", "points": 8.0, "comment": "the hint was wrong", "was": 7.0}
    ]
    by_id = {e.id: e for e in new.exercises}
    assert (by_id["1.3"].points, by_id["1.3"].status) == (8.0, "full")
    assert (by_id["1.1"].points, by_id["1.1"].comment) == (10.0, "well done")
    assert new.totals.automatic == 88.0
    assert manual.apply(new, marks) == new
    assert manual.apply(new, ManualMarks(COURSE)).as_json() == result.as_json()


@pytest.mark.parametrize(
    ("points", "status"), [(None, "pending"), (0.0, "zero"), (5.0, "partial"), (10.0, "full")]
)
def test_an_override_of_a_model_can_be_taken_back_whatever_it_had(points, status):
    result = sample(assignment="a4").as_json()
    model = next(e for e in result["exercises"] if e["id"] == "4.12")
    model |= {"points": points, "status": status}
    result = Result.model_validate(result).changed(COURSE.assignment("a4"))
    new = manual.apply(result, ManualMarks(COURSE, {("s01", "a4", "4.12"): ManualMark(7.0)}))
    assert next(e for e in new.exercises if e.id == "4.12").points == 7.0
    assert manual.apply(new, ManualMarks(COURSE)) == result


def test_every_bad_row_is_one_sentence_with_file_and_line(tmp_path):
    with pytest.raises(CsvError) as error:
        read(
            tmp_path,
            's01,a1,1.11.a,4,"two\nlines"',
            "",
            "s01,a1,1.11.a,3,",
            "s01,a1,1.99,3,",
            "s01,a9,1.1,3,",
            "s01,a1,1.11,3,",
            "s01,a1,1.11.b,5,",
            "s01,a1,1.11.b,-1,",
            "s01,a1,1.11.b,nan,",
            "s01,a1,1.11.b,good,",
            ",a1,1.11.b,1,",
            "s01,a1,1.11.b,1,well, nearly",
            "s01,a1,1.11.c,,",
            "s01,a1",
        )
    told = [line.split("marks.csv, ")[1] for line in error.value.problems]
    for line, sentence in zip(
        told,
        [
            "line 5: s01 has 1.11.a on line 2 too",
            "line 6: a1 has no item '1.99' to mark; it has 1.1, 1.2",
            "line 7: there is no assignment 'a9'; the course has a1, a2",
            "line 8: exercise 1.11 is marked part by part: write 1.11.a, 1.11.b, 1.11.c",
            "line 9: 5 points for 1.11.b, which allows 0 to 4",
            "line 10: -1 points for 1.11.b",
            "line 11: nan points for 1.11.b",
            "line 12: points are 'good', not a number",
            "line 13: no student",
            "line 14: more cells than columns",
        ],
        strict=True,
    ):
        assert line.startswith(sentence)


def test_each_assignment_may_have_a_comment_on_the_whole_but_only_one(tmp_path):
    marks = read(tmp_path, "s01,a1,,,good", "s01,a2,,,better").marks
    assert [item for _, item, _ in marks] == ["a1", "a2"]
    with pytest.raises(CsvError, match="line 3: s01 has a comment on a1 on line 2 too: keep one"):
        read(tmp_path, "s01,a1,,,good", "s01,a1,,,better")


def test_files_that_hold_no_marks(tmp_path):
    with pytest.raises(CsvError, match="line 1: no column points; it needs student"):
        read(tmp_path, header="student,assignment,item,comment")
    with pytest.raises(CsvError, match="line 1: no column student"):
        read(tmp_path, header="")
    (tmp_path / "marks.csv").write_bytes("é".encode("latin-1"))
    with pytest.raises(CsvError, match="not UTF-8"):
        manual.read(tmp_path / "marks.csv", COURSE)
    with pytest.raises(CsvError, match="cannot be read"):
        manual.read(tmp_path / "none.csv", COURSE)


def test_what_spreadsheets_do_to_a_csv(tmp_path):
    header = "\ufeffstudent;assignment;item;points;comment;marker\r"
    marks = read(tmp_path, "s01;a1;1.11.a;3,5;fine;T\r", header=header)
    assert marks.marks == {("s01", "a1", "1.11.a"): ManualMark(3.5, "fine")}


def test_marks_of_nobody_are_a_warning(tmp_path):
    marks = read(tmp_path, "s99,a1,1.11.a,4,", "s01,a1,1.11.a,4,")
    [warning] = marks.unknown([sample()])
    assert warning.startswith("there are marks for s99 in a1")
    assert "- for points" in warning


def test_marks_that_fit_no_item_of_course_toml_any_more_are_a_warning():
    items = {"1.11.a": 5.0, "1.11.z": 1.0, "1.11.b": 4.0, "": None}
    marks = {("s01", "a1", item): ManualMark(points) for item, points in items.items()}
    high, gone = ManualMarks(COURSE, marks).outdated([sample()])
    told = "a mark of s01 is older than course.toml: "
    assert high == f"{told}5 points for 1.11.a, which allows 0 to 4: correct them"
    assert gone.startswith(f"{told}a1 has no item '1.11.z' to mark")
    assert ManualMarks(COURSE, marks).outdated([]) == []


def test_a_mark_can_be_taken_back_even_of_a_student_whom_nobody_knows(tmp_path):
    with Store(tmp_path / "results.db") as store:
        store.keep(read(tmp_path, "s99,a1,1.11.a,4,", "s01,a1,1.11.a,3,good", "s01,a1,1.3,2,"))
        back = read(tmp_path, "s99,a1,1.11.a,-,", "s01,a1,1.11.a,-,good", "s01,a1,1.3,'-,")
        assert (store.keep(back), store.keep(back)) == (3, 0)
        kept = store.manual(COURSE)
    assert kept.marks == {("s01", "a1", "1.11.a"): ManualMark(None, "good")}
    assert kept.unknown([sample()]) == []


def listed(path, results, kept=None, comments=frozenset()):
    """The list as it is written again over `path`, and what was found in it."""
    kept = kept or ManualMarks(COURSE)
    found = marking_worklist.filled_in(path, kept, comments)
    counted = [manual.apply(result, kept) for result in results]
    return list(csv.reader(io.StringIO(marking_worklist.text(counted, found.marks)))), found


def test_what_a_person_filled_in_is_in_the_list_that_is_written_again(tmp_path):
    path = tmp_path / "to_mark.csv"
    path.write_text(
        marking_worklist.text([sample()], {}).replace("1.11.a,,", "1.11.a,2.25,a\tb"), "utf-8"
    )
    with path.open("a", encoding="utf-8") as file:
        file.write("s99,a1,1.11.a,4,left early\ns01,a1,1.3,-,\ns01,a1,1.1,-,later\n")
    kept = ManualMarks(COURSE, {("s01", "a1", "1.3"): ManualMark(1.0)})
    rows, found = listed(path, [sample()], kept)
    assert rows[1][:5] == ["s01", "a1", "1.11.a", "2.25", "a\tb"]
    assert rows[2][2:4] == ["1.11.b", ""]
    added = [["s99", "a1", "1.11.a", "4", "left early"], ["s01", "a1", "1.3", "-", ""]]
    added.append(["s01", "a1", "1.1", "-", "later"])
    assert [row[:5] for row in rows[4:]] == added
    assert "4 filled-in rows" in found.notice
    assert not found.keep


def test_what_is_stored_leaves_the_list_and_an_old_comment_does_not_come_back(tmp_path):
    path, item = tmp_path / "to_mark.csv", ("s01", "a1", "1.11.a")
    path.write_text("student,assignment,item,points,comment\ns01,a1,1.11.a,4,\n", "utf-8")
    rows, found = listed(path, [sample()], ManualMarks(COURSE, {item: ManualMark(4.0)}))
    assert ([row[2] for row in rows[1:]], found.notice) == (["1.11.b", "1.11.c"], "")
    path.write_text("student,assignment,item,points,comment\ns01,a1,1.11.a,,thin\n", "utf-8")
    now = ManualMarks(COURSE, {item: ManualMark(None, "better")})
    rows, found = listed(path, [sample()], now, frozenset({(item, "thin"), (item, "better")}))
    assert (rows[1][2:5], found.notice) == (["1.11.a", "", "better"], "")


@pytest.mark.parametrize(
    ("text", "told", "marks"),
    [
        ("my notes\n", "no column student", 0),
        ("student,assignment,item,points,comment\ns01,a1,1.11.a,good,\n", "not a number", 0),
        ("student,assignment,item,points,comment,by\ns01,a1,1.11.a,3,,T\n", "1 filled-in row ", 1),
        ("student,assignment,item,points,comment,by\ns01,a1,1.11.a,,,T\n", "extra columns (by)", 0),
    ],
)
def test_a_list_that_a_new_one_cannot_hold_is_put_aside(tmp_path, text, told, marks):
    path = tmp_path / "to_mark.csv"
    (tmp_path / "to_mark.kept-1.csv").write_text("older")
    path.write_text(text, encoding="utf-8")
    _, found = listed(path, [sample()])
    assert found.keep
    assert told in found.notice
    assert len(found.marks) == marks
    assert marking_worklist.put_aside(path).name == "to_mark.kept-2.csv"
    assert (tmp_path / "to_mark.kept-2.csv").read_text(encoding="utf-8") == text


def test_the_template_has_a_row_for_each_pending_part_and_no_formula(tmp_path):
    results = [sample("=cmd()"), manual.apply(sample(), read(tmp_path, "s01,a1,1.11.a,4,"))]
    text = marking_worklist.text(results, {})
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == marking_worklist.COLUMNS
    assert [row[:4] for row in rows[1:3]] == [["'=cmd()", "a1", f"1.11.{p}", ""] for p in "ab"]
    assert [row[2] for row in rows[4:]] == ["1.11.b", "1.11.c"]
    filled = text.replace("1.11.a,,", "1.11.a,2,")
    (tmp_path / "filled.csv").write_text(filled, encoding="utf-8")
    marks = manual.read(tmp_path / "filled.csv", COURSE)
    assert marks.marks == {("=cmd()", "a1", "1.11.a"): ManualMark(2.0)}


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "'=1", "'s", "plain", ""])
def test_formula_safe_cells_come_back(text):
    assert not safe(text).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert text.startswith("'") or restored(safe(text)) == text


# ---------------------------------------------------------------- lateness


@pytest.mark.parametrize(
    ("received", "days", "percent"),
    [
        (None, 0, 0),
        (IN_TIME, 0, 0),
        ("2027-02-08T23:59:00+00:00", 0, 0),
        ("2027-02-08T23:59:00", 0, 0),
        ("2027-02-09T01:59:00+02:00", 0, 0),
        ("2027-02-08T23:59:01Z", 1, 10),
        ("2027-02-09T23:59:00+00:00", 1, 10),
        ("2027-02-11T23:59:00+00:00", 3, 30),
        ("2027-02-11T23:59:01+00:00", 4, 100),
    ],
)
def test_a_day_begun_is_a_late_day(received, days, percent):
    late = lateness(received, A1)
    assert (late.days, late.percent) == (days, percent)
    assert late.sentence.endswith(".")


def test_the_penalty_is_a_share_of_what_was_earned_and_never_more():
    totals = sample(received="2027-02-10T12:00:00+00:00").totals
    assert (totals.late_days, totals.late_penalty) == (2, 19.6)
    assert totals.total == pytest.approx(98 - 19.6)
    closed = sample(received="2027-03-10T12:00:00+00:00")
    assert (closed.totals.late_penalty, closed.totals.total) == (98.0, 0.0)
    assert closed.exercises[0].points == 10.0, "what was earned is still shown"
    assert "no points are counted" in lateness("2027-03-10T12:00:00+00:00", A1).sentence


def test_late_days_without_a_limit_in_percent():
    strict = A1.model_copy(update={"late_days": 20, "late_penalty_percent": 30.0})
    assert lateness("2027-02-13T00:00:00+00:00", strict).percent == 100.0


# ---------------------------------------------------------------- exports


def test_csv_has_a_row_a_student_and_assignment():
    results = [sample("=s01", failed=SCORES), sample("s02", "a2")]
    first, second = csv.DictReader(io.StringIO(results_files.to_csv(results, COURSE)))
    assert first["student"] == "'=s01"
    assert (first["exercise 1.3"], first["exercise 1.10"]) == ("7.0", "6.0")
    assert (first["exercise 1.11"], first["exercise 2.1"]) == ("", "")
    assert (first["automatic"], first["manual"], first["pending"]) == ("87.0", "", "3")
    assert (first["bonus"], first["penalty"], first["total"]) == ("10.0", "0.0", "97.0")
    assert (second["exercise 2.1"], second["outcome"], second["tier"]) == ("10.0", "GRADED", "A")
    assert second["sha256"] == results[1].submission.sha256


def test_json_reads_back():
    results = [sample("Zoë"), sample("s02", "a2")]
    assert json.loads(results_files.to_json(results)) == [result.as_json() for result in results]
    results_files.to_json([sample("\udce9")]).encode("utf-8")

"""The results store, manual marks, the list to mark, and exports."""

import json
import sqlite3
import subprocess
import sys

import pytest
from sample_results import sample
from world import COURSE, lines, marks, table
from world_tables import cases

from grader.classroom.csv_file import CsvError, restored, safe
from grader.exchange import results_files
from grader.gradebook import manual, marking_worklist
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.result import key_of
from grader.gradebook.store import GradebookError, Store

SCORES = {"1.3": [{"message": {"expected": "1", "got": "2", "cause": "", "read": ""}}]}


# ---------------------------------------------------------------- store


@pytest.fixture
def store(kept_in):
    with Store(kept_in) as opened:
        yield opened


def test_a_result_is_found_by_what_it_depends_on(kept_in):
    result = sample()
    with Store(kept_in) as store:
        assert store.find(key_of(result)) is None
        assert store.add(result)
        assert store.find(key_of(result)) == result
        for name, other in [("tier", "C"), ("seed", 1), ("suite_sha256", "0")]:
            assert store.find(key_of(result)._replace(**{name: other})) is None
    with Store(kept_in) as store:
        assert store.latest() == [result]


def test_adding_twice_changes_nothing_and_times_are_not_compared(store):
    store.add(sample())
    assert not store.add(sample(seconds=9.9, graded_at="2027-03-01T00:00:00+00:00"))
    assert len(store.history("s01", "a1")) == 1


def test_latest_is_the_newest_of_each_student_and_assignment(store):
    first, second = sample(), sample(failed=SCORES, suite_sha256="new")
    for result in (first, second, sample("s02"), sample("s01", "a2"), sample("Zoë", "a2")):
        store.add(result)
    found = [(r.student, r.assignment) for r in store.latest()]  # whatever a server's locale
    assert found == [("Zoë", "a2"), ("s01", "a1"), ("s01", "a2"), ("s02", "a1")]
    assert store.latest("a1")[0].suite_sha256 == "new"
    assert store.add(first), "going back to an earlier submission makes that one count again"
    assert store.latest("a1")[0] == first


def test_a_failure_of_the_grader_replaces_no_grade_of_the_same_files(store):
    failed = sample(outcome="UNGRADED", suite_sha256="new")
    assert store.add(failed), "without a grade, the row says so"
    assert store.add(sample())
    before = store.history("s01", "a1")
    assert not store.add(failed)
    assert store.latest() == [sample()]
    assert store.history("s01", "a1") == before
    other = failed.submission.model_copy(update={"sha256": "other"})
    assert store.add(failed.model_copy(update={"submission": other})), "new files, no grade"


def test_names_and_texts_that_are_no_valid_unicode_are_stored(store):
    result = sample("caf\udce9\0", reason="\ud800")
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


def test_a_full_disk_is_one_sentence_and_nothing_is_lost(world):
    with world.store() as store:
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


def test_a_read_only_database(world):
    world.add("s01")
    with Store(f"sqlite:///file:{world.out / 'results.db'}?mode=ro&uri=true") as store:
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


COLUMNS = "student,assignment,item,points,comment"


@pytest.fixture
def read(world):
    """Reads rows of a file of marks."""
    return lambda *rows, header=COLUMNS: manual.read(
        world.file("marks.csv", lines(header, *rows)), COURSE
    )


def written(result):
    return next(e for e in result.exercises if e.kind == "written")


def test_marks_fill_parts_and_totals(read):
    result = sample(failed=SCORES)
    given = read('s01,a1,1.11.a,3.5,"Good,\nand short"', "s01,a1,1.11.b,,See §3.5")
    new = manual.apply(result, given)
    assert [p.points for p in written(new).parts] == [3.5, None, None]
    assert [p.comment for p in written(new).parts] == ["Good,\nand short", "See §3.5", ""]
    assert (written(new).points, written(new).status) == (3.5, "partly marked")
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
    assert manual.apply(new, given) == new
    assert manual.apply(new, ManualMarks(COURSE)) == result, "a mark that was withdrawn"


def test_no_mark_at_all_is_pending_and_not_zero():
    totals = manual.apply(sample(), ManualMarks(COURSE)).totals
    assert (totals.manual, totals.manual_pending) == (None, 3)


def test_all_parts_marked(read):
    new = manual.apply(sample(), read(*(f"s01,a1,1.11.{p},0," for p in "abc")))
    assert written(new).status == "marked"
    assert (new.totals.manual, new.totals.manual_pending) == (0.0, 0)


def test_an_override_keeps_what_was_there_and_can_be_taken_back(read):
    result = sample(failed=SCORES)
    given = read("s01,a1,1.3,8,the hint was wrong", "s01,a1,1.1,,well done")
    new = manual.apply(result, given)
    assert [override.as_json() for override in new.overrides] == [
        {"exercise": "1.3", "points": 8.0, "comment": "the hint was wrong", "was": 7.0}
    ]
    by_id = {e.id: e for e in new.exercises}
    assert (by_id["1.3"].points, by_id["1.3"].status) == (8.0, "full")
    assert (by_id["1.1"].points, by_id["1.1"].comment) == (10.0, "well done")
    assert new.totals.automatic == 88.0
    assert manual.apply(new, given) == new
    assert manual.apply(new, ManualMarks(COURSE)).as_json() == result.as_json()


@pytest.mark.parametrize(
    ("points", "status"), [(None, "pending"), (0.0, "zero"), (5.0, "partial"), (10.0, "full")]
)
def test_an_override_of_a_model_can_be_taken_back_whatever_it_had(points, status):
    result = sample(assignment="a4")
    changed = {"4.12": {"points": points, "status": status}}
    exercises = [e.model_copy(update=changed.get(e.id, {})) for e in result.exercises]
    result = result.changed(COURSE.assignment("a4"), exercises=exercises)
    new = manual.apply(result, marks(("s01", "4.12", 7.0)))
    assert next(e for e in new.exercises if e.id == "4.12").points == 7.0
    assert manual.apply(new, ManualMarks(COURSE)) == result


BAD_ROWS = [  # the second is on two lines, and the third is empty
    ("s01,a1,1.11.a,4,two\nlines", ""),
    ("", ""),
    ("s01,a1,1.11.a,3,", "line 5: s01 has 1.11.a on line 2 too"),
    ("s01,a1,1.99,3,", "line 6: a1 has no item '1.99' to mark; it has 1.1, 1.2"),
    ("s01,a9,1.1,3,", "line 7: there is no assignment 'a9'; the course has a1, a2"),
    (
        "s01,a1,1.11,3,",
        "line 8: exercise 1.11 is marked part by part: write 1.11.a, 1.11.b, 1.11.c",
    ),
    ("s01,a1,1.11.b,5,", "line 9: 5 points for 1.11.b, which allows 0 to 4"),
    ("s01,a1,1.11.b,-1,", "line 10: -1 points for 1.11.b"),
    ("s01,a1,1.11.b,nan,", "line 11: nan points for 1.11.b"),
    ("s01,a1,1.11.b,good,", "line 12: points are 'good', not a number"),
    (",a1,1.11.b,1,", "line 13: no student"),
    ("s01,a1,1.11.b,1,well, nearly", "line 14: more cells than columns"),
    ("s01,a1,1.11.c,,", ""),
    ("s01,a1", ""),
]


def test_every_bad_row_is_one_sentence_with_file_and_line(read):
    rows = [row.replace("two\nlines", '"two\nlines"') for row, _ in BAD_ROWS]
    with pytest.raises(CsvError) as error:
        read(*rows)
    told = [line.split("marks.csv, ")[1] for line in error.value.problems]
    for line, start in zip(told, filter(None, (start for _, start in BAD_ROWS)), strict=True):
        assert line.startswith(start)


def test_each_assignment_may_have_a_comment_on_the_whole_but_only_one(read):
    found = read("s01,a1,,,good", "s01,a2,,,better").marks
    assert [item for _, item, _ in found] == ["a1", "a2"]
    with pytest.raises(CsvError, match="line 3: s01 has a comment on a1 on line 2 too: keep one"):
        read("s01,a1,,,good", "s01,a1,,,better")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("student,assignment,item,comment\n", "line 1: no column points; it needs student"),
        ("\n", "line 1: no column student"),
        ("é".encode("latin-1"), "not UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_files_that_hold_no_marks(world, content, told):
    path = world.folder / "marks.csv" if content is None else world.file("marks.csv", content)
    with pytest.raises(CsvError, match=told):
        manual.read(path, COURSE)


def test_what_spreadsheets_do_to_a_csv(read):
    header = "\ufeffstudent;assignment;item;points;comment;marker\r"
    assert read("s01;a1;1.11.a;3,5;fine;T\r", header=header) == marks(
        ("s01", "1.11.a", 3.5, "fine")
    )


def test_marks_of_nobody_are_a_warning(read):
    [warning] = read("s99,a1,1.11.a,4,", "s01,a1,1.11.a,4,").unknown([sample()])
    assert warning.startswith("there are marks for s99 in a1")
    assert "- for points" in warning


def test_marks_that_fit_no_item_of_course_toml_any_more_are_a_warning():
    items = {"1.11.a": 5.0, "1.11.z": 1.0, "1.11.b": 4.0, "": None}
    kept = {("s01", "a1", item): ManualMark(points) for item, points in items.items()}
    high, gone = ManualMarks(COURSE, kept).outdated([sample()])
    told = "a mark of s01 is older than course.toml: "
    assert high == f"{told}5 points for 1.11.a, which allows 0 to 4: correct them"
    assert gone.startswith(f"{told}a1 has no item '1.11.z' to mark")
    assert ManualMarks(COURSE, kept).outdated([]) == []


def test_a_mark_can_be_taken_back_even_of_a_student_whom_nobody_knows(read, store):
    store.keep(read("s99,a1,1.11.a,4,", "s01,a1,1.11.a,3,good", "s01,a1,1.3,2,"))
    back = read("s99,a1,1.11.a,-,", "s01,a1,1.11.a,-,good", "s01,a1,1.3,'-,")
    assert (store.keep(back), store.keep(back)) == (3, 0)
    kept = store.manual(COURSE)
    assert kept == marks(("s01", "1.11.a", None, "good"))
    assert kept.unknown([sample()]) == []


@pytest.fixture
def listed(world):
    """Writes the list again over one with this text; its rows, and what was found in the old."""

    def listed(text, kept=None, comments=frozenset()):
        kept = kept or ManualMarks(COURSE)
        path = world.file("to_mark.csv", text)
        found = marking_worklist.filled_in(path, kept, comments)
        rows = table(marking_worklist.text([manual.apply(sample(), kept)], found.marks))
        return [[*row.values()] for row in rows], found

    return listed


def test_what_a_person_filled_in_is_in_the_list_that_is_written_again(listed):
    text = marking_worklist.text([sample()], {}).replace("1.11.a,,", "1.11.a,2.25,a\tb")
    text += "s99,a1,1.11.a,4,left early\ns01,a1,1.3,-,\ns01,a1,1.1,-,later\n"
    rows, found = listed(text, marks(("s01", "1.3", 1.0)))
    assert rows[0][:5] == ["s01", "a1", "1.11.a", "2.25", "a\tb"]
    assert rows[1][2:4] == ["1.11.b", ""]
    added = [["s99", "a1", "1.11.a", "4", "left early"], ["s01", "a1", "1.3", "-", ""]]
    added.append(["s01", "a1", "1.1", "-", "later"])
    assert [row[:5] for row in rows[3:]] == added
    assert "4 filled-in rows" in found.notice
    assert not found.keep


def test_what_is_stored_leaves_the_list_and_an_old_comment_does_not_come_back(listed):
    item = ("s01", "a1", "1.11.a")
    rows, found = listed(f"{COLUMNS}\ns01,a1,1.11.a,4,\n", marks(("s01", "1.11.a", 4.0)))
    assert ([row[2] for row in rows], found.notice) == (["1.11.b", "1.11.c"], "")
    now, old = marks(("s01", "1.11.a", None, "better")), {(item, "thin"), (item, "better")}
    rows, found = listed(f"{COLUMNS}\ns01,a1,1.11.a,,thin\n", now, frozenset(old))
    assert (rows[0][2:5], found.notice) == (["1.11.a", "", "better"], "")


@cases("put_aside")
def test_a_list_that_a_new_one_cannot_hold_is_put_aside(world, listed, rows, told, count):
    text = lines(*rows)
    world.file("to_mark.kept-1.csv", "older")
    _, found = listed(text)
    assert found.keep
    assert told in found.notice
    assert len(found.marks) == count
    kept = marking_worklist.put_aside(world.folder / "to_mark.csv")
    assert kept.name == "to_mark.kept-2.csv"
    assert kept.read_text(encoding="utf-8") == text


def test_the_template_has_a_row_for_each_pending_part_and_no_formula(world, read):
    results = [sample("=cmd()"), manual.apply(sample(), read("s01,a1,1.11.a,4,"))]
    text = marking_worklist.text(results, {})
    rows = [[*row.values()] for row in table(text)]
    assert [*table(text)[0]] == marking_worklist.COLUMNS
    assert [row[:4] for row in rows[:2]] == [["'=cmd()", "a1", f"1.11.{p}", ""] for p in "ab"]
    assert [row[2] for row in rows[3:]] == ["1.11.b", "1.11.c"]
    filled = world.file("filled.csv", text.replace("1.11.a,,", "1.11.a,2,"))
    assert manual.read(filled, COURSE) == marks(("=cmd()", "1.11.a", 2.0))


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "'=1", "'s", "plain", ""])
def test_formula_safe_cells_come_back(text):
    assert not safe(text).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert text.startswith("'") or restored(safe(text)) == text


# ---------------------------------------------------------------- totals and exports


def test_the_penalty_is_a_share_of_what_was_earned_and_never_more():
    totals = sample(received="2027-02-10T12:00:00+00:00").totals
    assert (totals.late_days, totals.late_penalty) == (2, 19.6)
    assert totals.total == pytest.approx(98 - 19.6)
    closed = sample(received="2027-03-10T12:00:00+00:00")
    assert (closed.totals.late_penalty, closed.totals.total) == (98.0, 0.0)
    assert closed.exercises[0].points == 10.0, "what was earned is still shown"


def test_csv_has_a_row_a_student_and_assignment():
    results = [sample("=s01", failed=SCORES), sample("s02", "a2")]
    first, second = table(results_files.to_csv(results, COURSE))
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

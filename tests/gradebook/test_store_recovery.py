"""A results store that is damaged, empty, old or of another program; and its copy."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess

import pytest
from checkout import ROOT
from in_process import course
from sample_results import COURSE, sample

from grader.cli.problems import sentence
from grader.cli.records import results
from grader.course.course import Course
from grader.gradebook.database.connection import file_of, shown
from grader.gradebook.database.errors import missing
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.result import key_of
from grader.gradebook.store import GradebookError, Store

MARK = ManualMarks(COURSE, {("s01", "a1", "1.3"): ManualMark(1.0, "a slip")})


def fill(path, students=20):
    with Store(path) as store:
        for number in range(1, students + 1):
            store.add(sample(f"s{number:02}"))
        store.keep(MARK)


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def overwritten(data):
    middle = len(data) // 2
    return data[:middle] + b"\xff" * 8192 + data[middle + 8192 :]


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: data[: len(data) // 2], overwritten],
    ids=["emptied", "cut", "overwritten"],
)
def test_the_message_says_how_to_go_back_and_that_brings_everything_back(tmp_path, damage):
    out = tmp_path / "the grades"
    database = out / "results.db"
    fill(database)
    assert course("report", out).exit_code == 0
    data = damage(database.read_bytes())
    database.write_bytes(data)
    (out / "results.db-wal").write_bytes(b"what a killed run left")
    done = course("report", out)
    code, told = sentence(done.exception)
    assert (code, "\n" in told) == (4, False)
    assert "is damaged" in told
    assert "nothing was changed" in told
    assert database.read_bytes() == data
    subprocess.run(told.rpartition("go back to it: ")[2], shell=True, check=True)
    with Store(database) as store:
        assert len(store.latest()) == 20
        assert store.manual(COURSE).marks == MARK.marks
    assert (out / "damaged" / "results.db").read_bytes() == data, "what was damaged is kept"
    assert course("report", out).exit_code == 0
    assert (out / "results.db.backup").exists()


def test_the_time_of_the_copy_is_told_by_the_clocks_of_the_course(tmp_path, monkeypatch):
    facts = COURSE.facts.model_copy(update={"timezone": "Asia/Kolkata"})
    monkeypatch.setattr(Course, "here", lambda: COURSE.model_copy(update={"facts": facts}))
    copy = tmp_path / "results.db.backup"
    copy.write_bytes(b"")
    os.utime(copy, (1_801_000_000, 1_801_000_000))
    assert "is a copy of 27 January 2027, 03:16 IST" in missing(tmp_path / "results.db")


def test_a_store_that_is_gone_is_not_made_anew_over_its_copy(tmp_path):
    out = tmp_path / "grades"
    database = out / "results.db"
    fill(database, 2)
    assert course("report", out).exit_code == 0
    before = {path: data for path, data in files(out).items() if path != database}
    database.unlink()
    place = tmp_path / "class" / "s01" / "a1"
    place.mkdir(parents=True)
    (place / "a1.ipynb").write_text("{}", encoding="utf-8")
    for command in (
        ("grade", tmp_path / "class", "--out", out, "--i-trust-these-submissions"),
        ("report", out),
        ("why", "s01", "a1", "--out", out),
        ("grades", "--out", out),
    ):
        code, told = sentence(course(*command).exception)
        assert (code, "\n" in told) == (4, False)
        assert "results.db is missing; nothing was changed" in told
        assert files(out) == before
    subprocess.run(told.rpartition("go back to it: ")[2], shell=True, check=True)
    with Store(database) as store:
        assert len(store.latest()) == 2
        assert store.manual(COURSE).marks == MARK.marks


@pytest.mark.parametrize(
    "command",
    [
        ("report", "OUT"),
        ("grades", "--out", "OUT", "--so-far"),
        ("why", "s01", "a1", "--out", "OUT"),
        ("history", "s01", "a1", "--out", "OUT"),
        ("feedback", "--out", "OUT", "--to", "OUT/feedback"),
        ("export", "csv", "--out", "OUT", "--to", "OUT/long.csv"),
        ("release", "--week", "1", "--to", "OUT/release"),
    ],
    ids=lambda command: command[0],
)
def test_a_mistyped_store_is_refused_and_nothing_is_written(tmp_path, command):
    fill(tmp_path / "results.db", 1)
    assert course("report", tmp_path).exit_code == 0
    before = files(tmp_path)
    given = [part.replace("OUT", str(tmp_path)) for part in command]
    code, told = sentence(course(*given, "--store", tmp_path / "nothere.db").exception)
    assert (code, "\n" in told) == (2, False)
    assert "nothere.db: there is no such database" in told
    assert "COURSE_STORE" in told
    assert files(tmp_path) == before


@pytest.mark.parametrize("command", [("report",), ("grades", "--out")])
def test_a_store_without_a_result_overwrites_no_files(tmp_path, command):
    (tmp_path / "grades.csv").write_text("the class's", encoding="utf-8")
    with Store(tmp_path / "results.db"):
        pass
    before = {path.name for path in tmp_path.iterdir()}
    code, told = sentence(course(*command, tmp_path).exception)
    assert (code, "\n" in told) == (2, False)
    assert "results.db: holds no result yet" in told
    assert {path.name for path in tmp_path.iterdir()} == before
    assert (tmp_path / "grades.csv").read_text(encoding="utf-8") == "the class's"


def test_the_copy_is_whole_while_another_program_writes_and_is_never_half_a_copy(tmp_path):
    path = tmp_path / "results.db"
    fill(path, 2)
    with Store(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM results")
        copy = store.back_up()
        other.execute("ROLLBACK")
        other.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["results.db", "results.db.backup"]
    with Store(copy) as kept, Store(path) as store:
        assert kept.latest() == store.latest()


def test_a_damaged_store_never_replaces_a_good_copy(tmp_path):
    path = tmp_path / "results.db"
    fill(path)
    with Store(path) as store:
        good = store.back_up().read_bytes()
        path.write_bytes(overwritten(path.read_bytes()))
        with pytest.raises(GradebookError, match="no new backup could be written"):
            store.back_up()
    assert (tmp_path / "results.db.backup").read_bytes() == good
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize(
    "tables",
    ["CREATE TABLE moz_places (id INTEGER)", "CREATE TABLE results (id INTEGER, score FLOAT)"],
)
def test_a_database_of_another_program_is_left_as_it_is(tmp_path, tables):
    path = tmp_path / "results.db"
    with sqlite3.connect(path) as other:
        other.execute(tables)
    before = path.read_bytes()
    with pytest.raises(GradebookError, match="of another program") as error, Store(path):
        pass
    assert "\n" not in str(error.value)
    assert "--store" in str(error.value)
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)
    assert len(before) == path.stat().st_size


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://ada:se/c:r@t@host/db",
        "postgresql+psycopg://ada:secret@host:99999999/db",
        "postgresql://host/db?user=ada&password=secret",
        "postgresql+psycopg://ada:secret@secret@127.0.0.1:9/db",
        "nonsense://ada:secret@",
        "://ada:secret@host",
    ],
)
def test_a_password_is_never_printed(url, tmp_path):
    assert "***" in shown(url)
    with pytest.raises(GradebookError) as error, Store(url):
        pass
    for part in ("secret", "c:r@t"):
        assert part not in str(error.value)
    assert "\n" not in str(error.value)


def test_only_a_file_of_sqlite_has_a_copy(tmp_path):
    assert file_of("out/results.db") == file_of("sqlite:///out/results.db")
    assert file_of("sqlite:////x.db").is_absolute()
    for url in (
        "postgresql://host/db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?uri=true",
    ):
        assert file_of(url) is None


def test_marks_for_a_typo_are_warned_about_until_they_are_taken_back(tmp_path):
    fill(tmp_path / "results.db", 1)
    marks = tmp_path / "marks.csv"
    header = "student,assignment,item,points,comment\n"
    typo = {("s1", "a1", "1.11.a"): ManualMark(3.0, "good"), ("s01", "a2", "2.1"): ManualMark(1.0)}
    with Store(tmp_path / "results.db") as store:
        store.keep(ManualMarks(COURSE, typo))  # as an older version took it over
    told = course("report", tmp_path).stderr
    assert "marks for s1 in a1" in told
    assert "marks for s01 in a2" in told
    assert "marks for s1 in a1" in course("report", tmp_path).stderr
    marks.write_text(header + "s1,a1,1.11.a,-,\ns01,a2,2.1,-,\n", encoding="utf-8")
    assert course("report", tmp_path, "--manual", marks).stderr == ""
    assert course("report", tmp_path).stderr == ""
    assert "s1,a1" not in (tmp_path / "to_mark.csv").read_text(encoding="utf-8")


def test_what_a_person_wrote_into_to_mark_is_still_there_whatever_is_run(tmp_path):
    fill(tmp_path / "results.db", 1)
    course("report", tmp_path)
    path = tmp_path / "to_mark.csv"
    filled = path.read_text(encoding="utf-8").replace("1.11.a,,", "1.11.a,3,good")
    for text in (filled, "my own list\n", filled.replace(",note\n", ",note,by\n")):
        path.write_text(text, encoding="utf-8")
        course("report", tmp_path)
        assert text in [p.read_text(encoding="utf-8") for p in tmp_path.glob("to_mark*.csv")]


# A results store that an earlier version wrote opens, and every grade in it stays.


DATA = ROOT / "tests/gradebook/old_store"
OLD = json.loads((DATA / "old_store_totals.json").read_text(encoding="utf-8"))
BY_DATES = {"late_days", "late_penalty", "total"}  # of the due dates that course.toml has now


@pytest.fixture
def store(tmp_path):
    shutil.copy(DATA / "old_store.sqlite", tmp_path / "results.db")
    with Store(tmp_path / "results.db") as opened:
        yield opened


def by_name(found):
    return {f"{result.student} {result.assignment}": result for result in found}


def points(result):
    return {exercise.id: exercise.points for exercise in result.exercises}


def test_every_stored_grade_is_what_it_was(store):
    found = by_name(store.latest())
    assert found.keys() == OLD["stored"].keys()
    for name, old in OLD["stored"].items():
        new = found[name]
        assert points(new) == old["exercises"], name
        assert (new.outcome, new.graded_at) == (old["outcome"], old["graded_at"])
        assert new.submission.sha256 == old["submission_sha256"]
        assert new.suite_sha256 == old["suite_sha256"]
        assert new.totals.model_dump() == old["totals"], name


def test_marks_overrides_and_terms_count_as_they_did(store):
    found = by_name(results.counted_results(store, Course.here()))
    assert found.keys() == OLD["counted"].keys()
    for name, old in OLD["counted"].items():
        new = found[name]
        assert points(new) == old["exercises"], name
        assert {part.id: part.points for part in new.parts} == old["parts"]
        assert [override.as_json() for override in new.overrides] == old["overrides"]
        totals = new.totals.as_json()
        for key in old["totals"].keys() - BY_DATES:
            unread = key.startswith("manual") and new.outcome == "INVALID"  # nothing to mark
            assert totals[key] == (0 if unread and key != "manual_max" else old["totals"][key]), (
                name
            )
        before = old["totals"]["total"] + old["totals"]["late_penalty"]
        assert totals["total"] + totals["late_penalty"] == pytest.approx(before)


def test_a_grading_with_the_same_key_finds_it(store):
    for result in store.latest():
        found = store.find(key_of(result))
        assert found == result
        assert not store.add(result), "nothing is appended for a grade that is there"

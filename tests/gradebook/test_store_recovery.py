"""A results store that is damaged, empty, old or of another program; and its copy."""

import json
import os
import shutil
import sqlite3
import subprocess

import pytest
from checkout import ROOT
from world import COURSE, marks

from grader.cli.records import results
from grader.course.course import Course
from grader.gradebook.database.connection import file_of, shown
from grader.gradebook.database.errors import missing
from grader.gradebook.store import GradebookError, Store

MARK = marks(("s01", "1.3", 1.0, "a slip"))


def fill(world, students=20):
    """Results and a mark; the path of their database."""
    world.add(*(f"s{number:02}" for number in range(1, students + 1)))
    world.mark(("s01", "1.3", 1.0, "a slip"))
    return world.out / "results.db"


def go_back(told, world, students):
    """What a message advises brings everything back."""
    subprocess.run(told.rpartition("go back to it: ")[2], shell=True, check=True)
    with world.store() as store:
        assert len(store.latest()) == students
        assert store.manual(COURSE).marks == MARK.marks


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
def test_the_message_says_how_to_go_back_and_that_brings_everything_back(world, damage):
    out = world.out = world.folder / "the grades"
    database = fill(world)
    world.run("report")
    data = damage(database.read_bytes())
    database.write_bytes(data)
    (out / "results.db-wal").write_bytes(b"what a killed run left")
    told = world.refused("report", code=4)
    assert "is damaged" in told
    assert "nothing was changed" in told
    assert database.read_bytes() == data
    go_back(told, world, 20)
    assert (out / "damaged" / "results.db").read_bytes() == data, "what was damaged is kept"
    world.run("report")
    assert (out / "results.db.backup").exists()


def test_the_time_of_the_copy_is_told_by_the_clocks_of_the_course(tmp_path, monkeypatch):
    facts = COURSE.facts.model_copy(update={"timezone": "Asia/Kolkata"})
    monkeypatch.setattr(Course, "here", lambda: COURSE.model_copy(update={"facts": facts}))
    copy = tmp_path / "results.db.backup"
    copy.write_bytes(b"")
    os.utime(copy, (1_801_000_000, 1_801_000_000))
    assert "is a copy of 27 January 2027, 03:16 IST" in missing(tmp_path / "results.db")


def test_a_store_that_is_gone_is_not_made_anew_over_its_copy(world):
    database = fill(world, 2)
    world.run("report")
    before = {path: data for path, data in files(world.out).items() if path != database}
    database.unlink()
    world.hand_in("s01/a1/a1.ipynb", "{}")
    for command in (
        ("grade", world.submitted, "--i-trust-these-submissions"),
        ("report",),
        ("why", "s01", "a1"),
        ("grades",),
    ):
        told = world.refused(*command, code=4)
        assert "results.db is missing; nothing was changed" in told
        assert files(world.out) == before
    go_back(told, world, 2)


@pytest.mark.parametrize(
    "command",
    [
        "report",
        "grades --so-far",
        "why s01 a1",
        "history s01 a1",
        "feedback --to OUT/feedback",
        "export csv --to OUT/long.csv",
        "release --week 1 --to OUT/release",
    ],
)
def test_a_mistyped_store_is_refused_and_nothing_is_written(world, command):
    fill(world, 1)
    world.run("report")
    before = files(world.folder)
    words = command.replace("OUT", str(world.out)).split()
    told = world.refused(*words, "--store", world.folder / "nothere.db")
    assert "nothere.db: there is no such database" in told
    assert "COURSE_STORE" in told
    assert files(world.folder) == before


@pytest.mark.parametrize("command", ["report", "grades"])
def test_a_store_without_a_result_overwrites_no_files(world, command):
    world.file("out/grades.csv", "the class's")
    world.add()
    before = {path.name for path in world.out.iterdir()}
    assert "results.db: holds no result yet" in world.refused(command)
    assert {path.name for path in world.out.iterdir()} == before
    assert world.read("grades.csv") == "the class's"


def test_the_copy_is_whole_while_another_program_writes_and_is_never_half_a_copy(world):
    path = fill(world, 2)
    with Store(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM results")
        copy = store.back_up()
        other.execute("ROLLBACK")
        other.close()
    assert sorted(p.name for p in world.out.iterdir()) == ["results.db", "results.db.backup"]
    with Store(copy) as kept, Store(path) as store:
        assert kept.latest() == store.latest()


def test_a_damaged_store_never_replaces_a_good_copy(world):
    path = fill(world)
    with Store(path) as store:
        good = store.back_up().read_bytes()
        path.write_bytes(overwritten(path.read_bytes()))
        with pytest.raises(GradebookError, match="no new backup could be written"):
            store.back_up()
    assert (world.out / "results.db.backup").read_bytes() == good
    assert not list(world.out.glob("*.new"))


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
    others = "postgresql://host/db sqlite:// sqlite:///:memory: sqlite:///file:x?uri=true"
    assert [file_of(url) for url in others.split()] == [None] * 4


def test_marks_for_a_typo_are_warned_about_until_they_are_taken_back(world):
    fill(world, 1)  # and two marks as an older version took them over
    world.mark(("s1", "1.11.a", 3.0, "good"), ("s01", "2.1", 1.0))
    told = world.run("report").stderr
    assert "marks for s1 in a1" in told
    assert "marks for s01 in a2" in told
    assert "marks for s1 in a1" in world.run("report").stderr
    header = "student,assignment,item,points,comment\n"
    back = world.file("marks.csv", f"{header}s1,a1,1.11.a,-,\ns01,a2,2.1,-,\n")
    assert world.run("report", "--manual", back).stderr == ""
    assert world.run("report").stderr == ""
    assert "s1,a1" not in world.read("to_mark.csv")


def test_what_a_person_wrote_into_to_mark_is_still_there_whatever_is_run(world):
    fill(world, 1)
    world.run("report")
    filled = world.read("to_mark.csv").replace("1.11.a,,", "1.11.a,3,good")
    for text in (filled, "my own list\n", filled.replace(",note\n", ",note,by\n")):
        world.file("out/to_mark.csv", text)
        world.run("report")
        assert text in [p.read_text(encoding="utf-8") for p in world.out.glob("to_mark*.csv")]


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

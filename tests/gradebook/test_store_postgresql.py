"""The results store on a real PostgreSQL server."""

import json
import threading

import pytest
from sample_results import COURSE, sample
from typer.testing import CliRunner

from grader.cli.app import app
from grader.gradebook import manual
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.marking import MarkedMeanwhile
from grader.gradebook.store import GradebookError, Store
from grader.marking.desk import Desk

pytestmark = pytest.mark.xdist_group("postgresql")  # one server for all
LOST = {"1.3": [{}]}
ITEM = ("s01", "a1", "1.3")


def test_several_writers_make_the_tables_and_store_each_result_once(database):
    failures, added = [], []

    def write():
        try:
            with Store(database) as store:
                added.extend(store.add(sample(f"s{number}")) for number in range(8))
                store.keep(ManualMarks(COURSE, {ITEM: ManualMark(1.0)}))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert added.count(True) == 8
    with Store(database) as store:
        assert len(store.latest()) == 8
        assert len(store.marks()) == 1


def test_report_and_questions_read_from_the_server_and_print_no_password(database, tmp_path):
    with Store(database) as store:
        store.add(sample(failed=LOST))
    secret = database.replace("postgres:@", "postgres:topsecret@")
    assert secret != database
    marks = tmp_path / "marks.csv"
    marks.write_text(f"{','.join(manual.COLUMNS)}\ns01,a1,1.3,5,a slip\n", encoding="utf-8")
    out = tmp_path / "out"
    run = CliRunner().invoke
    done = run(app, ["report", str(out), "--store", secret, "--manual", str(marks)])
    assert done.exit_code == 0, done.exception
    assert {p.name for p in out.iterdir()} == {
        "report.html", "report", "dashboard.html", "grades.csv", "results.json", "to_mark.csv"
    }  # fmt: skip
    why = run(app, ["why", "s01", "a1", "--json"], env={"COURSE_STORE": secret})
    assert json.loads(why.stdout)["exercises"][2]["override"]["points"] == 5
    nobody = run(app, ["history", "s77", "a3"], env={"COURSE_STORE": secret})
    for shown in (done, why, nobody):
        assert "topsecret" not in shown.output + str(shown.exception)
    assert "has no result of a3" in str(nobody.exception)


def test_a_server_or_database_that_is_not_there_is_one_sentence(database):
    for wrong, told in (
        (database.replace("/test_a_server", "/no_such_base"), "does not exist"),
        ("postgresql+psycopg://ada:topsecret@127.0.0.1:1/grades", "cannot be reached"),
    ):
        with pytest.raises(GradebookError, match=told) as error, Store(wrong):
            pass
        assert "\n" not in str(error.value)
        assert "topsecret" not in str(error.value)


def test_two_markers_on_two_machines_see_each_other_and_neither_overwrites(database):
    question = ("a1", "1.11.a")
    with Store(database) as here, Store(database) as there:
        here.add(sample())
        ben, zoe = Desk(here, COURSE), Desk(there, COURSE)
        (one,), (other,) = ben.cards(*question), zoe.cards(*question)
        assert ben.open(one.place, "ben") == []
        assert zoe.open(other.place, "zoe") == ["ben"]
        ben.give([(one.first, one.first.answer.version)], ManualMark(2.0, "", "ben"))
        with pytest.raises(MarkedMeanwhile):
            zoe.give([(other.first, other.first.answer.version)], ManualMark(1.0, "", "zoe"))
        zoe.ask(other, "zoe")
        (now,) = ben.cards(*question)
        assert (now.first.asked.by, now.first.answer.mark.points) == ("zoe", 2.0)

"""A study on a real PostgreSQL server: two workers, and a server that stops in mid-run."""

import os
import sys
import threading

import pytest
import study_stub
from checkout import ROOT
from study_stub import noted, until

from course_study.database.plan import queue, queued
from course_study.database.run import WorkerError, run_workers
from course_study.database.storage import StudyError, open_study, storage

GRACE = 3
pytestmark = pytest.mark.xdist_group("postgresql")  # one server for all


@pytest.fixture
def url(database, tmp_path, monkeypatch):
    """A new database, for workers that are started here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    return database


def begin(url):
    return queue(storage(url, GRACE), study_stub.plan())


def run(url, log, **options):
    told = []
    command = study_stub.command(url, grace=GRACE, log=log, **options)
    run_workers(storage(url, GRACE), "stub", command, 2, told.append)
    return told


@pytest.mark.long
def test_two_workers_finish_a_plan_together(url, tmp_path):
    study, log = begin(url), tmp_path / "log"
    told = run(url, log, seconds=0.1)
    assert study_stub.statuses(study) == ["complete"] * 12
    points, workers = noted(log, "begin")
    assert len(points) == 12
    assert len(set(workers)) == 2
    assert told[-1].startswith("[12/12] ")


def test_several_begin_the_same_study_at_once(url):
    assert not study_stub.in_threads(lambda: begin(url), 3)
    assert len(queued(open_study(storage(url), "stub"))) == 12


@pytest.mark.long
def test_a_server_that_stops_loses_no_finished_trial(url, postgresql, tmp_path):
    log = tmp_path / "log"
    begin(url)

    def stop():
        until(lambda: len(noted(log, "end")[0]) >= 3)
        postgresql.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises((StudyError, WorkerError), match="start the database, then run") as caught:
        run(url, log, seconds=0.1)
    stopper.join()
    assert "\n" not in str(caught.value)
    with pytest.raises(StudyError, match="start the database, then run"):
        storage(url)
    postgresql.start()
    study = begin(url)
    assert study_stub.statuses(study).count("complete") >= 2
    run(url, log)
    assert study_stub.statuses(study) == ["complete"] * 12
    assert len(noted(log, "begin")[0]) <= 12 + 2  # the two that were in the middle


def test_a_wrong_name_is_one_sentence(url):
    wrong = url.replace("/test_a_wrong_name", "/no_such_base_test")
    with pytest.raises(StudyError, match="does not exist; make it first, or give another URL"):
        storage(wrong)

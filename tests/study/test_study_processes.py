"""A study by real processes: killed, interrupted, short of disk; each point is run, and once."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import study_stub
from checkout import ROOT
from study_stub import noted, until

from course_study.database.plan import queue
from course_study.database.run import WorkerError, run_workers
from course_study.database.storage import StudyError, storage

pytestmark = [pytest.mark.usefixtures("as_it_was"), pytest.mark.long]
GRACE = 2
LONG = 300  # where nobody is to be taken for dead, however slow the machine
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}


@pytest.fixture
def url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    return f"sqlite:///{tmp_path}/study.db"


@pytest.fixture
def study(url):
    return queue(storage(url, GRACE), study_stub.plan())


def run(url, n_workers, tell=lambda line: None, grace=GRACE, **options):
    command = study_stub.command(url, grace=grace, **options)
    run_workers(storage(url, grace), "stub", command, n_workers, tell)


def is_there(pid):
    """Whether this process runs: one that ended and that nobody asked for is not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.long
def test_a_killed_worker_loses_its_trial_for_a_moment_only(url, study, tmp_path):
    """Two workers, one of them killed in mid-trial: each point is complete, once."""
    log, told = tmp_path / "log", []

    def kill():
        until(lambda: len(noted(log, "begin")[1]) >= 3)
        os.kill(noted(log, "begin")[1][-1], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    run(url, 2, told.append, seconds=0.1, log=log)
    killer.join()
    assert study_stub.statuses(study) == ["complete"] * 12
    begun, workers = noted(log, "begin")
    assert len(begun) - len(set(begun)) <= 1
    assert len(set(workers)) >= 2
    points, _ = noted(log, "end")
    assert len(points) == len(set(points)) == 12
    assert "a worker was ended by SIGKILL; its trial will be run again" in told
    assert sum(" (" in line and "complete" not in line for line in told) == 12
    assert told[-1].startswith("[12/12] ")


def test_all_are_killed_and_the_same_command_goes_on(url, study, tmp_path):
    log = tmp_path / "log"
    process = start(url, log, seconds=0.3)
    until(lambda: len(noted(log, "end")[1]) >= 2 and len(noted(log, "begin")[1]) >= 4)
    _, workers = noted(log, "begin")
    for pid in [process.pid, *set(workers)]:
        os.kill(pid, signal.SIGKILL) if is_there(pid) else None
    process.wait()
    assert "running" in study_stub.statuses(study)
    run(url, 1, log=log)
    assert study_stub.statuses(study) == ["complete"] * 12
    assert len(noted(log, "begin")[0]) <= 12 + 2


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM]
)
def test_a_signal_leaves_no_process_and_loses_no_trial(url, study, tmp_path, number):
    log = tmp_path / "log"
    process = start(url, log, seconds=60, grace=LONG)
    until(lambda: len(set(noted(log, "begin")[1])) == 2)
    process.send_signal(number)
    assert process.wait(120) == 130
    assert not any(is_there(pid) for pid in noted(log, "begin")[1])
    found = set(study_stub.statuses(study))
    assert found <= {"complete", "waiting"}  # nobody has to wait for a silence
    study_stub.run_here(storage(url, LONG))
    assert study_stub.statuses(study) == ["complete"] * 12


def start(url, log, seconds=0.2, grace=GRACE):
    """`run_workers` in a process of its own."""
    command = study_stub.command(url, workers=2, seconds=seconds, log=log, grace=grace)
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL)


def test_workers_that_only_die_end_the_study(url, study):
    suicide = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    with pytest.raises(StudyError, match="4 workers died, one after another, and no trial ended"):
        run_workers(storage(url), "stub", suicide, 1, lambda line: None)
    assert study_stub.statuses(study) == ["waiting"] * 12


def test_a_worker_that_fails_at_its_start_ends_the_study_with_its_words(url, study):
    mistaken = [sys.executable, "-c", "import sys; print('ab', file=sys.stderr); sys.exit('cd')"]
    with pytest.raises(WorkerError, match="^cd$") as caught:
        run_workers(storage(url), "stub", mistaken, 2, lambda line: None)
    assert caught.value.exit_code == 1


def test_a_full_disk_is_one_sentence_and_finished_trials_are_kept(url, study, tmp_path):
    size, log = (tmp_path / "study.db").stat().st_size, tmp_path / "log"
    with pytest.raises(WorkerError, match="free some space") as caught:
        run(url, 1, limit=size + 8192, log=log)
    assert caught.value.exit_code == 4
    queue(storage(url, GRACE), study_stub.plan())
    n_complete, n_ended = study_stub.statuses(study).count("complete"), len(noted(log, "end")[0])
    assert (
        1 <= n_ended - 1 <= n_complete <= n_ended
    )  # at most the trial that met the full disk is lost
    study_stub.run_here(storage(url, GRACE), study_stub.Stub(log=log))
    assert study_stub.statuses(study) == ["complete"] * 12
    assert len(noted(log, "end")[0]) == 12 + n_ended - n_complete

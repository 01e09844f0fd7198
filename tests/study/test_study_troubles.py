"""What a study survives: dead workers, and databases that fail or are none."""

import json
import sqlite3
import sys
from dataclasses import replace

import optuna
import pytest
import study_stub
from sqlalchemy import text

from course_study.database import storage as storage_module
from course_study.database.plan import end_silent, queue, queued
from course_study.database.run import Progress
from course_study.database.storage import RETRIES, StudyError, open_study, storage
from course_study.database.worker import waiting
from course_study.profiles import PROFILES
from course_study.trial import attempt, run_trial
from grader import cli

GRACE = 5

pytestmark = pytest.mark.usefixtures("without_shape_checks", "as_it_was")


def take(study):
    """Take a trial as a worker does, and show one sign of life, of long ago."""
    trial = study.ask()
    trial.set_user_attr("worker", "elsewhere:7")
    storage = study._storage._backend
    storage.record_heartbeat(trial._trial_id)
    with storage.engine.begin() as connection:
        connection.execute(text("UPDATE trial_heartbeats SET heartbeat = '2020-01-01 00:00:00'"))


# Workers that die


def test_the_trial_of_a_dead_worker_is_tried_again_but_not_for_ever(opened):
    study = queue(opened, study_stub.plan(n_seeds=1))
    for trial in study.trials[1:]:
        study._storage.set_trial_state_values(trial._trial_id, optuna.trial.TrialState.RUNNING)
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
    news = Progress(study)
    for _ in range(RETRIES + 1):
        assert waiting(study, GRACE)
        take(study)
        assert "running" in study_stub.statuses(study)
    assert not waiting(study, GRACE)
    assert study_stub.statuses(study) == ["worker lost"] * 3
    told = news.lines()
    assert len(told) == RETRIES + 1
    assert all("was lost with its worker elsewhere:7" in line for line in told)
    queue(opened, study_stub.plan(n_seeds=1))  # who asks again may have mended the cause
    study_stub.run_here(opened)
    assert study_stub.statuses(study) == ["complete"] * 3


def test_a_trial_of_a_living_worker_is_left_alone(opened):
    study = queue(opened, study_stub.plan(n_seeds=1))
    trial = study.ask()
    opened.record_heartbeat(trial._trial_id)
    waiting(study, GRACE)
    assert study_stub.statuses(study) == ["running", "waiting", "waiting"]


def test_a_worker_that_died_before_its_first_sign_of_life_is_noticed_too(opened):
    study = queue(opened, study_stub.plan(n_seeds=1))
    study.ask()
    end_silent(study, grace=60)
    assert study_stub.statuses(study) == ["running", "waiting", "waiting"]
    end_silent(study, grace=0)
    end_silent(study, grace=0)
    assert study_stub.statuses(study) == ["waiting"] * 3
    assert len(study.trials) == 4


def test_a_result_counts_though_others_took_its_worker_for_dead(opened):
    """A laptop that slept: its trial was ended by others, and queued again."""
    study = queue(opened, study_stub.plan(n_seeds=1))

    class Asleep(study_stub.Stub):
        def inference(self, model):
            for trial in study.get_trials(states=(optuna.trial.TrialState.RUNNING,)):
                study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
            return super().inference(model)

    assert study_stub.run_here(opened, Asleep()) == 3
    assert study_stub.statuses(study) == ["complete"] * 3


# Databases that fail


def away(*_, **__):
    raise optuna.exceptions.StorageInternalError("the server went away")


def test_a_database_that_is_away_for_a_while_in_mid_trial_ends_nothing(opened, monkeypatch):
    study = queue(opened, study_stub.plan(n_seeds=1))

    class Away(study_stub.Stub):
        def validate(self, model):
            monkeypatch.setattr(opened.engine.pool, "connect", away)
            return super().validate(model)

        def inference(self, model):
            monkeypatch.undo()
            return super().inference(model)

    assert study_stub.run_here(opened, Away()) == 3
    assert study_stub.statuses(study) == ["complete"] * 3


def test_every_unusable_database_is_one_sentence(tmp_path):
    (tmp_path / "noise.db").write_bytes(b"not a database at all" * 100)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE studies (a)").connection.commit()
    storage(f"sqlite:///{tmp_path}/old.db")
    with sqlite3.connect(tmp_path / "old.db") as old:
        old.execute("UPDATE version_info SET schema_version = 3")
        old.execute("UPDATE alembic_version SET version_num = 'v0.9.0.a'")
    sentences = {
        "nonsense": "is not the URL of a database",
        "oracle9://me@host/x": "is not the URL of a database",
        "mysql+pymysql://me:secret@host/x": "needs the package 'pymysql', which is not installed",
        f"sqlite:///{tmp_path}/missing/study.db": "unable to open database file; make the folder",
        f"sqlite:///{tmp_path}/noise.db": "file is not a database; the file is damaged",
        f"sqlite:///{tmp_path}/other.db": "it holds something else than studies",
        f"sqlite:///{tmp_path}/old.db": "was made by another version of Optuna",
    }
    for url, sentence in sentences.items():
        with pytest.raises(StudyError) as caught:
            queue(storage(url), study_stub.plan())
        assert sentence in str(caught.value), url
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_written_is_one_sentence(opened, tmp_path):
    queue(opened, study_stub.plan(n_seeds=1))
    readonly = storage(f"sqlite:///file:{tmp_path}/study.db?mode=ro&uri=true")
    with pytest.raises(StudyError, match="make the file writable"):
        study_stub.run_here(readonly)


def test_a_damaged_file_is_one_sentence(opened, tmp_path):
    queue(opened, study_stub.plan(n_seeds=20))
    opened.engine.dispose()
    content = (tmp_path / "study.db").read_bytes()
    (tmp_path / "study.db").write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    with pytest.raises(StudyError, match="the file is damaged"):
        study_stub.run_here(storage(f"sqlite:///{tmp_path}/study.db"))


def test_a_study_that_is_not_there_names_those_that_are(opened):
    queue(opened, study_stub.plan())
    with pytest.raises(StudyError, match="has no study 'other'; it has stub"):
        open_study(opened, "other")


def test_a_fault_of_the_program_stays_one():
    with pytest.raises(KeyError), storage_module.study_errors("sqlite://"):
        raise KeyError("a typo")


def test_several_processes_open_and_fill_a_new_database_at_once(tmp_path):
    url = f"sqlite:///{tmp_path}/new.db"
    assert not study_stub.in_threads(lambda: queue(storage(url), study_stub.plan()), 3)
    assert len(queued(open_study(storage(url), "stub"))) == 12


def test_no_two_workers_take_the_same_trial(tmp_path):
    url = f"sqlite:///{tmp_path}/study.db"
    queue(storage(url), study_stub.plan(n_seeds=5))
    taken: list[int] = []

    def take_all():
        study = open_study(storage(url), "stub")
        while "key" in (trial := study.ask()).user_attrs:
            taken.append(trial.number)

    assert not study_stub.in_threads(take_all, 4)
    assert sorted(taken) == list(range(15))


# The command


@pytest.fixture
def course(monkeypatch, capsys):
    """Runs `course study …` here, with a profile of a few steps; its exit code and its words."""
    short = replace(
        PROFILES["tiny"],
        n_steps=2,
        untimed_steps=1,
        evaluate_every=2,
        n_sampled=0,
        seeds=(0,),
        train_limit=50,
    )
    monkeypatch.setattr("course_study.profiles.PROFILES", {"tiny": short})

    from course_study import commands

    def here(opened, name, command, n_workers, tell):
        commands.run_trials(opened, name, study_stub.Stub(), run_trial, attempt, device="cpu")

    monkeypatch.setattr(commands, "run_workers", here)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["course", "study", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, *capsys.readouterr()

    return command


def test_the_command_says_what_it_does(course, tmp_path):
    code, out, _ = course("run")
    assert code == 0
    assert "13 trials to run: about 0." in out
    assert out.endswith("done: 13 complete\n")
    code, out, err = course("run", "--json")
    assert (code, json.loads(out)) == (0, {"complete": 13})
    assert "0 trials to run" in err
    assert course("rows")[1] == "results.csv: 13 rows\n"
    assert course("work")[0] == 0
    code, _, err = course("rows", "--out", "no/such/rows.csv")
    assert (code, err) == (4, "no/such/rows.csv cannot be written: No such file or directory\n")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ("run --profile huge", 2, "there is no profile 'huge'"),
        ("run --pruner secateurs", 2, "there is no pruner 'secateurs': choose one of none, asha"),
        ("run --device abacus", 2, "--device abacus cannot be used"),
        ("run --device mps", 2, "--device mps cannot be used: this torch cannot use it on this"),
        ("run --storage sqlite:////no/such/folder/x.db", 4, "make the folder"),
        ("run --storage nonsense", 4, "is not the URL of a database"),
        ("rows", 4, "has no study 'tiny'"),
        ("work", 4, "has no study 'tiny'; it has none"),
    ],
)
def test_a_users_mistake_is_one_sentence(course, arguments, code, sentence):
    found, _, err = course(*arguments.split())
    assert found == code
    assert sentence in err
    assert err.count("\n") == 1

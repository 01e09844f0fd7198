"""Measures the overhead of the hyperparameter study, and the gain from a second worker."""

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna

from bench.record import Log, Measures, of_rows, origin
from course_lib.data import datasets
from course_study.database.plan import Plan, queue
from course_study.database.run import run_workers
from course_study.database.storage import storage
from course_study.database.worker import deterministic, work
from course_study.profiles import profile
from course_study.space import DEFAULT, FACTORS
from course_study.tasks.classification import ClassificationTask
from course_study.trial import attempt, run_trial
from grader.authoring import results_file

NAME, STUDY = "bench_study", "bench"
STEPS = 150  # a trial, some seconds
TRIALS = 8
ROUNDS = 3


def run(tell: Log) -> Measures:
    """One worker, two, ours in this process and plain Optuna, in turn; some minutes.

    The workers' time runs from the first trial's start to the last one's end: a worker also takes
    some seconds to start, once a study. Writes `results/bench_study.json`.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    deterministic()
    task = _task(STEPS)
    rounds: list[dict[str, float]] = []
    for number in range(1, ROUNDS + 1):
        row = {f"workers_{n}_trials_per_minute": _in_processes(n) for n in (1, 2)}
        row["workers_2_speedup"] = (
            row["workers_2_trials_per_minute"] / row["workers_1_trials_per_minute"]
        )
        seconds, outside = _here(task)
        row["overhead_seconds_a_trial"] = outside / TRIALS
        row["overhead_percent"] = 100 * outside / (seconds - outside)
        row["trials_per_hour"] = 3600 * TRIALS / seconds
        row["plain_optuna_trials_per_hour"] = 3600 * TRIALS / _plain(task)
        row["speed_over_plain_optuna"] = (
            row["trials_per_hour"] / row["plain_optuna_trials_per_hour"]
        )
        rounds.append(row)
        tell(f"round {number} of {ROUNDS}: {row['workers_2_speedup']:.2f} times as fast with two")
    measures = of_rows(rounds)
    about = origin(task.data)
    results_file.write(NAME, "course bench study", measures, about)
    return measures


def worker(url: str, n_steps: int) -> None:
    """The work of each process of `_in_processes`."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    work(storage(url), STUDY, _task(n_steps), run_trial, attempt)


def _in_processes(n_workers: int) -> float:
    """Trials a minute of so many workers."""
    with tempfile.TemporaryDirectory() as folder:
        url = _url(folder)
        opened = storage(url)
        study = queue(opened, _plan())
        command = [sys.executable, "-m", "bench.speeds.study", url, str(STEPS)]
        run_workers(opened, STUDY, command, n_workers, lambda line: None)
        trials = study.get_trials()
        opened.engine.dispose()
    starts = [trial.datetime_start for trial in trials if trial.datetime_start]
    ends = [trial.datetime_complete for trial in trials if trial.datetime_complete]
    return 60 * TRIALS / (max(ends) - min(starts)).total_seconds()


def _here(task: ClassificationTask) -> tuple[float, float]:
    """Seconds of our queue and worker, and those of them that were outside of the trials."""
    inside = 0.0

    def timed(*arguments: Any) -> dict[str, Any]:
        nonlocal inside
        started = time.perf_counter()
        row = run_trial(*arguments)
        inside += time.perf_counter() - started
        return row

    with tempfile.TemporaryDirectory() as folder:
        opened = storage(_url(folder))
        started = time.perf_counter()
        queue(opened, _plan())
        work(opened, STUDY, task, timed, attempt)
        seconds = time.perf_counter() - started
        opened.engine.dispose()
    return seconds, seconds - inside


def _plain(task: ClassificationTask) -> float:
    """Seconds of the same trials in a loop as one writes it with Optuna alone."""

    def objective(trial: optuna.Trial) -> float:
        levels = FACTORS.items()
        configuration = {name: trial.suggest_categorical(name, of) for name, of in levels}
        seed = trial.suggest_int("seed", 0, TRIALS)
        return run_trial(configuration, seed, task)["quality"]

    with tempfile.TemporaryDirectory() as folder:
        plain = optuna.storages.RDBStorage(_url(folder))
        study = optuna.create_study(storage=plain, direction="maximize")
        started = time.perf_counter()
        for seed in range(TRIALS):
            study.enqueue_trial({**DEFAULT, "seed": seed})
        study.optimize(objective, n_trials=TRIALS)
        seconds = time.perf_counter() - started
        plain.engine.dispose()
    return seconds


def _plan() -> Plan:
    return Plan.of(STUDY, STUDY, {"one point": [DEFAULT]}, range(TRIALS))


def _task(n_steps: int) -> ClassificationTask:
    settings = replace(profile("tiny"), n_steps=n_steps, evaluate_every=n_steps)
    return ClassificationTask(settings, datasets.load(settings.dataset))


def _url(folder: str) -> str:
    return f"sqlite:///{Path(folder) / 'study.db'}"


if __name__ == "__main__":
    worker(sys.argv[1], int(sys.argv[2]))

"""One worker of a study: it takes queued trials from the database until none is left."""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import optuna
import torch
from optuna.storages import RDBStorage
from optuna.trial import TrialState

from ..space import FACTORS, Configuration, Factors
from ..task import Task
from ..timing import PeakMemory
from .rescue import rescue
from .storage import StudyError, open_study, quiet, sentences

Row = dict[str, Any]
Trial = Callable[..., Row]  # (configuration, seed, task, after_evaluation)
Attempt = Callable[[Callable[[], Row]], Row]
PACKAGES = ("torch", "numpy", "optuna")


class FailedTrial(Exception):
    """A trial that ended without a result; Optuna records it as failed and goes on."""


def deterministic(threads: int = 1) -> dict[str, Any]:
    """Make torch choose the same kernels every time, and say what was set.

    On a CPU the same seed then gives the same bits, with the same number of threads and the same
    build of torch. On a GPU some kernels have no deterministic form: torch warns and uses them.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_num_threads(threads)
    return {"deterministic_algorithms": True, "threads": threads}


def work(
    opened: RDBStorage,
    name: str,
    task: Task,
    trial: Trial,
    attempt: Attempt,
    factors: Factors = FACTORS,
    seconds_a_trial: float = 3600.0,
    device: str = "cpu",
    report: Callable[[Row], None] | None = None,
) -> int:
    """Run queued trials of the study `name` until the queue is empty; returns how many.

    `trial` is `run_trial` and `attempt` the `attempt` of `study.trial`, or a student's. A trial of
    a worker that died is queued again by whoever asks for the next one. When the database fails
    after a trial is done, its row goes to a file that `queue` reads. Raises StudyError.
    """
    study = open_study(opened, name)
    flags = deterministic()
    objective = _Objective(task, trial, attempt, factors, seconds_a_trial, device, flags, report)
    done = 0
    try:
        with sentences(opened.url):
            while waiting(study):
                with quiet():
                    study.optimize(objective, n_trials=1, catch=(FailedTrial,))
                objective.unsaved = None
                done += 1
    except StudyError as error:
        if objective.unsaved is None:
            raise
        file = rescue(name, objective.unsaved)
        raise StudyError(f"{error} (the trial that had just finished is kept in {file})") from error
    return done


def waiting(study: optuna.Study) -> bool:
    """Whether a trial is queued; trials of dead workers are queued again first."""
    with quiet():
        optuna.storages.fail_stale_trials(study)
    return bool(study.get_trials(deepcopy=False, states=(TrialState.WAITING,)))


def finished(study: optuna.Study) -> set[str]:
    """The keys of the trials that are complete."""
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return {trial.user_attrs["key"] for trial in trials}


class _Objective:
    """What Optuna calls for each trial."""

    def __init__(
        self,
        task: Task,
        trial: Trial,
        attempt: Attempt,
        factors: Factors,
        seconds: float,
        device: str,
        flags: dict[str, Any],
        report: Callable[[Row], None] | None,
    ) -> None:
        self.task, self.trial, self.attempt, self.factors = task, trial, attempt, factors
        self.seconds, self.device, self.report = seconds, torch.device(device), report
        self.unsaved: Row | None = None  # a finished trial that the database does not have yet
        self.about = {
            **flags,
            "device": device,
            "measure": task.measure,
            "worker": f"{socket.gethostname()}:{os.getpid()}",
            "versions": {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}},
        }

    def __call__(self, optuna_trial: optuna.Trial) -> float:
        key = optuna_trial.user_attrs.get("key")
        if key is None:  # another worker took the last one just before
            raise FailedTrial("nothing was queued")
        if key in finished(optuna_trial.study):
            raise FailedTrial("finished before")
        configuration: Configuration = {
            name: optuna_trial.suggest_categorical(name, levels)
            for name, levels in self.factors.items()
        }
        seed = optuna_trial.user_attrs["seed"]
        memory, started = PeakMemory(self.device), time.perf_counter()

        def after_evaluation(step: int, measured: dict[str, float]) -> None:
            optuna_trial.report(measured["quality"], step)
            if optuna_trial.should_prune():
                raise optuna.TrialPruned
            if (taken := time.perf_counter() - started) > self.seconds:
                raise TimeoutError(
                    f"{taken:.0f} s after step {step}, of {self.seconds:.0f} s at most"
                )

        row: Row = {**configuration, "seed": seed, "steps": 0}
        try:
            point = (configuration, seed, self.task, after_evaluation)
            row |= self.attempt(lambda: self.trial(*point))
        except optuna.TrialPruned:
            row["status"] = "pruned"
            raise
        finally:
            row |= {"seconds": time.perf_counter() - started, "peak_memory_mib": memory.mib}
            row |= {"memory_of": memory.of, **self.about}
            if row.get("status") == "complete":
                self.unsaved = {"key": key, "row": row}
            optuna_trial.set_user_attr("row", row)
            if self.report is not None:
                self.report({**row, "number": optuna_trial.number})
        if row["status"] != "complete":
            raise FailedTrial(f"{row['status']}: {row.get('reason', '')}")
        return row["quality"]

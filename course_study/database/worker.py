"""One worker of a study: it takes queued trials from the database until none is left."""

import math
import os
import platform
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import optuna
import torch
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import RDBStorage

from course_lib.training.long_trainings.peak_memory import PeakMemory

from ..space import FACTORS, Configuration
from ..tasks.task import Task
from ..trial import Row
from .plan import add_finished, end_silent, enqueue_again, is_superseded
from .storage import FAILURES, GRACE, open_study, quiet, study_errors

Trial = Callable[..., Row]  # (configuration, seed, task, after_evaluation)
Attempt = Callable[[Callable[[], Row]], Row]
PACKAGES = ("torch", "numpy", "optuna")


class FailedTrial(Exception):
    """A trial that ended without a result; Optuna records it as failed and continues."""


def deterministic() -> dict[str, Any]:
    """Make torch choose the same kernels every time, and say what was set.

    On a CPU the same seed then gives the same bits, with the same number of threads and the same
    build of torch. On a GPU some kernels have no deterministic form: torch warns and uses them.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.set_deterministic_debug_mode("warn")  # the other way to say so imports the compiler
    torch.set_num_threads(1)
    return {"deterministic_algorithms": True, "threads": 1}


def work(
    opened: RDBStorage,
    name: str,
    task: Task,
    trial: Trial,
    attempt: Attempt,
    seconds_a_trial: float = 3600.0,
    device: str = "cpu",
    report: Callable[[Row], None] = lambda row: None,
) -> int:
    """Run queued trials of the study `name` until the queue is empty; returns how many.

    `trial` is `run_trial` and `attempt` the `attempt` of `study.trial`, or a student's. A trial
    that KeyboardInterrupt ends is queued again at once; one of a worker that died, by whoever asks
    for the next trial after the worker's grace. Raises StudyError.
    """
    study = open_study(opened, name)
    objective = _Objective(opened, task, trial, attempt, seconds_a_trial, device, report)
    done = 0
    with study_errors(opened.url):
        while waiting(study, opened.grace_period or GRACE):
            _run_next(study, objective)
            done += objective.finished is not None
    return done


def _run_next(study: optuna.Study, objective: "_Objective") -> None:
    objective.running = objective.finished = None
    try:
        with quiet():
            study.optimize(objective, n_trials=1, catch=(FailedTrial,))
    except (ValueError, UpdateFinishedTrialError):
        # This machine slept or was cut off, and others took the trial for that of a dead worker.
        if objective.finished is None:
            raise
        add_finished(study, objective.finished)
    except KeyboardInterrupt:
        if objective.finished is not None:
            add_finished(study, objective.finished)
        elif objective.running is not None:
            enqueue_again(study, objective.running)
        raise


def waiting(study: optuna.Study, grace: float) -> bool:
    """Whether a trial is queued; trials of dead workers are queued again first."""
    with quiet():
        optuna.storages.fail_stale_trials(study)
        return end_silent(study, grace)


@dataclass
class _Objective:
    """The function that Optuna calls for each trial; its fields are the arguments of `work`."""

    opened: RDBStorage
    task: Task
    trial: Trial
    attempt: Attempt
    seconds: float
    device: str
    report: Callable[[Row], None]
    running: optuna.Trial | None = None
    finished: Row | None = None  # which the database may not have yet

    def __post_init__(self) -> None:
        self.about = {
            **deterministic(),
            "device": self.device,
            "measure": self.task.measure,
            "worker": f"{socket.gethostname()}:{os.getpid()}",
            "versions": {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}},
        }

    def __call__(self, optuna_trial: optuna.Trial) -> float:
        # Optuna's first sign of life comes from a thread, at some moment; a worker killed before it
        # would never be missed. `end_silent` finds trials that do not even have a worker's name.
        self.running = optuna_trial if "key" in optuna_trial.user_attrs else None
        self.opened.record_heartbeat(optuna_trial._trial_id)
        optuna_trial.set_user_attr("worker", self.about["worker"])
        if self.running is None:
            raise FailedTrial("another worker took the last one just before")
        if is_superseded(optuna_trial.study, optuna_trial):
            optuna_trial.set_user_attr("superseded", True)
            raise FailedTrial("another trial stands for the same point")
        row = self._row(optuna_trial)
        point = {name: optuna_trial.user_attrs[name] for name in ("key", "design")}
        self.finished = {**point, "row": row}
        optuna_trial.set_user_attr("row", row)
        self.report({**row, "number": optuna_trial.number})
        if row["status"] == "pruned":
            raise optuna.TrialPruned
        if row["status"] != "complete":
            raise FailedTrial(f"{row['status']}: {row.get('reason', '')}")
        return row["quality"]

    def _row(self, optuna_trial: optuna.Trial) -> Row:
        """Run the trial, and say what it measured or why it did not."""
        configuration: Configuration = {
            name: optuna_trial.suggest_categorical(name, levels) for name, levels in FACTORS.items()
        }
        seed = optuna_trial.user_attrs["seed"]
        row: Row = {**configuration, "seed": seed, "steps": 0}
        memory, started = PeakMemory(torch.device(self.device)), time.perf_counter()

        def after_evaluation(step: int, measured: dict[str, float]) -> None:
            row["steps"] = step
            if _should_prune(optuna_trial, step, measured["quality"]):
                raise optuna.TrialPruned
            if (taken := time.perf_counter() - started) > self.seconds:
                raise TimeoutError(
                    f"{taken:.0f} s after step {step}, of {self.seconds:.0f} s at most"
                )

        try:
            row |= self.attempt(
                lambda: self.trial(configuration, seed, self.task, after_evaluation)
            )
        except optuna.TrialPruned:
            row["status"] = "pruned"
        if row["status"] == "complete" and not math.isfinite(row["quality"]):
            row |= {"status": "diverged", "reason": f"the quality is {row['quality']}"}
        row |= {"seconds": time.perf_counter() - started, "peak_memory_mib": memory.mib}
        return row | {"memory_of": memory.of, **self.about}


def _should_prune(trial: optuna.Trial, step: int, quality: float) -> bool:
    """Whether the study's pruner ends the trial; a database that is away for a while does not."""
    with suppress(UpdateFinishedTrialError, *FAILURES):
        trial.report(quality, step)
        return trial.should_prune()
    return False

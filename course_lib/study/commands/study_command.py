"""`course study`: its commands over the library's study."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
import torch

from course_lib.study.database.data_used import same_data
from course_lib.study.database.plan import queue
from course_lib.study.database.points import queued
from course_lib.study.database.progress import described
from course_lib.study.database.rows import rows as table
from course_lib.study.database.rows import to_csv
from course_lib.study.database.run import WorkerError, run_workers
from course_lib.study.database.storage import (
    GRACE,
    PRUNERS,
    StudyError,
    open_study,
    sentences,
    shown,
    storage,
)
from course_lib.study.database.trackers import check, follow, nobody
from course_lib.study.database.worker import work as run_trials
from course_lib.study.profiles import StudyProfile, duration, profile
from course_lib.study.start import plan_of, task_of
from course_lib.study.trial import attempt, run_trial
from grader.cli import EXIT_FOUND, EXIT_OK
from grader.cli.problems import OutputProblem, UsageProblem


@dataclass(frozen=True)
class Where:
    """A study: the URL of its database and its name."""

    url: str
    name: str


@dataclass(frozen=True)
class How:
    """How a study is run: what every one of its workers is told."""

    device: str = "cpu"
    grace: int = GRACE
    tracker: str | None = None

    @property
    def options(self) -> list[str]:
        given = ["--device", self.device, "--grace", str(self.grace)]
        return [*given, "--tracker", self.tracker] if self.tracker else given


def run(where: Where, profile_name: str, workers: int, how: How, pruner: str, as_json: bool) -> int:
    """Queue what is missing, run it, and say what came of it; 1 if some trial failed."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    settings = _settings(profile_name, how, pruner)
    opened = storage(where.url, how.grace)
    study = queue(opened, plan_of(settings, where.name, pruner))
    out = sys.stderr if as_json else sys.stdout
    with sentences(where.url):
        before, left = table(study), queued(study)
    seconds = duration(settings, left, min(max(workers, 1), os.cpu_count() or 1))
    print(
        f"{settings}\n{shown(where.url)}, study {where.name}: {_told(before)}\n"
        f"{len(left)} trials to run: about {_time(seconds)} ({settings.measured_on})",
        file=out,
        flush=True,
    )
    if not workers:
        return EXIT_OK
    command = [sys.executable, "-m", "grader.cli", "study", "work"]
    command += ["--storage", where.url, "--name", where.name, *how.options]
    try:
        run_workers(
            opened, where.name, command, workers, lambda line: print(line, file=out, flush=True)
        )
    except WorkerError as error:
        print(error, file=sys.stderr)
        return error.code
    with sentences(where.url):
        after = table(study)
    print(json.dumps(_counts(after)) if as_json else f"done: {_told(after)}")
    return EXIT_OK if set(_counts(after)) <= {"complete", "pruned"} else EXIT_FOUND


def work(where: Where, how: How) -> int:
    """Run queued trials, one line each. Ctrl-C and SIGTERM put its trial back."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    opened = storage(where.url, how.grace)
    with sentences(where.url):
        study = open_study(opened, where.name)
        settings = profile(study.user_attrs["profile"])
        task = task_of(settings, how.device)
        same_data(study, task.data)
    run_trials(
        opened,
        where.name,
        task,
        run_trial,
        attempt,
        seconds_a_trial=settings.seconds_a_trial,
        device=how.device,
        report=lambda row: print(described(row, row["number"]), flush=True),
        follow=follow(how.tracker, where.name) if how.tracker else nobody,
    )
    return EXIT_OK


def rows(where: Where, out: Path) -> int:
    opened = storage(where.url)
    with sentences(where.url):
        found = table(open_study(opened, where.name))
    try:
        out.write_text(to_csv(found), encoding="utf-8")
    except OSError as error:
        raise OutputProblem(f"{out} cannot be written: {error.strerror}") from None
    print(f"{out}: {len(found)} rows")
    return EXIT_OK


def _settings(profile_name: str, how: How, pruner: str) -> StudyProfile:
    """The profile, once everything else that was given is found to be sound too."""
    if pruner not in PRUNERS:
        raise UsageProblem(f"there is no pruner {pruner!r}: choose one of {', '.join(PRUNERS)}")
    try:
        torch.empty(0, device=how.device)
    except (RuntimeError, AssertionError) as error:
        told = str(error).splitlines()[0]
        raise UsageProblem(f"--device {how.device} cannot be used: {told}") from None
    try:
        if how.tracker:
            check(how.tracker)
        return profile(profile_name)
    except (StudyError, ValueError) as error:
        raise UsageProblem(str(error)) from None


def _counts(found: list[dict[str, Any]]) -> dict[str, int]:
    return dict(Counter(row["status"] for row in found))


def _told(found: list[dict[str, Any]]) -> str:
    return ", ".join(f"{number} {status}" for status, number in _counts(found).items())


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds > 5400 else f"{seconds / 60:.1f} minutes"

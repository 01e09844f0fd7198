"""`course study`: its commands over the library's study."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna

from course_lib.study.database.data_used import same_data
from course_lib.study.database.plan import queue
from course_lib.study.database.rows import rows as table
from course_lib.study.database.rows import to_csv
from course_lib.study.database.run import run_workers
from course_lib.study.database.storage import StudyError, open_study, sentences, shown, storage
from course_lib.study.database.worker import work as run_trials
from course_lib.study.profiles import profile
from course_lib.study.start import plan_of, task_of
from course_lib.study.trial import attempt, run_trial

from . import EXIT_FOUND, EXIT_OK


@dataclass(frozen=True)
class Where:
    """A study: the URL of its database and its name."""

    url: str
    name: str


def run(
    where: Where, profile_name: str, workers: int, device: str, pruner: str, as_json: bool
) -> int:
    """Queue what is missing, run it, and say what came of it; 1 if some trial failed."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    settings = profile(profile_name)
    opened = storage(where.url)
    study = queue(opened, plan_of(settings, where.name, pruner))
    before = _counts(study)
    if not as_json:
        print(f"{settings}\n{shown(where.url)}, study {where.name}: {_told(before)}", flush=True)
    command = [sys.executable, "-m", "autograder.cli", "study", "work"]
    command += ["--storage", where.url, "--name", where.name, "--device", device]
    run_workers(opened, where.name, command, workers, lambda line: print(line, file=sys.stderr))
    after = _counts(study)
    print(json.dumps(after) if as_json else f"done: {_told(after)}")
    return EXIT_OK if set(after) <= {"complete", "pruned"} else EXIT_FOUND


def work(where: Where, device: str) -> int:
    """Run queued trials, one line each."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    threading.excepthook = _only_failures_of_ours
    opened = storage(where.url)
    study = open_study(opened, where.name)
    settings = profile(study.user_attrs["profile"])
    task = task_of(settings, device)
    with sentences(opened.url):
        same_data(study, task.data)
    run_trials(
        opened,
        where.name,
        task,
        run_trial,
        attempt,
        seconds_a_trial=settings.seconds_a_trial,
        device=device,
        report=_say,
    )
    return EXIT_OK


def rows(where: Where, out: Path) -> int:
    found = table(open_study(storage(where.url), where.name))
    out.write_text(to_csv(found), encoding="utf-8")
    print(f"{out}: {len(found)} rows")
    return EXIT_OK


def _say(row: dict[str, Any]) -> None:
    sizes = f"{row['n_layers']} layers, {row['n_heads']} heads, dropout {row['dropout']}"
    rest = f"smoothing {row['label_smoothing']}, {row['schedule']}, warm-up {row['warmup']}"
    reached = f"{row['quality']:.2f}" if "quality" in row else row.get("reason", "")
    status = "" if row["status"] == "complete" else f"{row['status']} "
    line = f"trial {row['number']}: {sizes}, {rest}, seed {row['seed']}: {status}{reached}"
    print(f"{line} ({row['seconds']:.1f} s)", flush=True)


def _counts(study: optuna.Study) -> dict[str, int]:
    return dict(Counter(row["status"] for row in table(study)))


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {status}" for status, number in counts.items())


def _only_failures_of_ours(arguments: Any) -> None:
    """A heartbeat that fails says nothing: the trial's own report to the database will."""
    if not isinstance(arguments.exc_value, (StudyError, optuna.exceptions.StorageInternalError)):
        threading.__excepthook__(arguments)

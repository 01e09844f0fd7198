"""The commands of `course study`."""

import json
import os
import sys
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import optuna
import torch

from course_lib.data.datasets import load

from . import confirmation
from .database.plan import Plan, queue, queued, same_data
from .database.rows import rows as table
from .database.rows import to_csv
from .database.run import described, interruptible, run_workers
from .database.storage import (
    GRACE,
    PRUNERS,
    StudyError,
    WrongOption,
    masked,
    open_study,
    storage,
    study_errors,
)
from .database.worker import deterministic
from .database.worker import work as run_trials
from .designs import one_at_a_time, sampled_design
from .profiles import StudyProfile, duration, profile
from .space import DEFAULT, FACTORS
from .tasks.classification import ClassificationTask
from .tasks.language import LanguageTask
from .tasks.task import Task
from .tasks.translation import TranslationTask
from .trial import Row, attempt, run_trial

DONE, FAILED = 0, 1  # exit codes: whether every trial was complete or pruned
DESIGN_SEED = 0  # of the configurations that are drawn at random


@dataclass(frozen=True)
class Where:
    """A study: the URL of its database and its name."""

    url: str
    name: str


def plan_of(settings: StudyProfile, name: str, pruner: str = "none") -> Plan:
    """One factor at a time around the default, then configurations drawn at random."""
    single = one_at_a_time(DEFAULT, FACTORS)
    sampled = sampled_design(FACTORS, settings.n_sampled, DESIGN_SEED, taken=single)
    designs = {"one at a time": single, "sampled": sampled}
    return Plan.of(name, settings.name, designs, settings.seeds, pruner)


@dataclass(frozen=True)
class How:
    """How a study is run: the settings of every worker."""

    device: str = "cpu"
    grace: int = GRACE

    @property
    def options(self) -> list[str]:
        return ["--device", self.device, "--grace", str(self.grace)]


def run(where: Where, profile_name: str, workers: int, how: How, pruner: str, as_json: bool) -> int:
    """Queue what is missing, run it, and say what came of it; 1 if some trial failed."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    settings = _settings(profile_name, how, pruner)
    opened = storage(where.url, how.grace)
    study = queue(opened, plan_of(settings, where.name, pruner))
    out = sys.stderr if as_json else sys.stdout
    with study_errors(where.url):
        before, left = table(study), queued(study)
    seconds = duration(settings, left, min(max(workers, 1), os.cpu_count() or 1))
    print(
        f"{settings}\n{masked(where.url)}, study {where.name}: {_listed(before)}\n"
        f"{len(left)} trials to run: about {_time(seconds)} ({settings.measured_on})",
        file=out,
        flush=True,
    )
    if not workers:
        return DONE
    command = [sys.executable, "-m", "course_study.app", "work"]
    command += ["--storage", where.url, "--name", where.name, *how.options]
    run_workers(
        opened, where.name, command, workers, lambda line: print(line, file=out, flush=True)
    )
    with study_errors(where.url):
        after = table(study)
    print(json.dumps(_counts(after)) if as_json else f"done: {_listed(after)}")
    return DONE if set(_counts(after)) <= {"complete", "pruned"} else FAILED


def work(where: Where, how: How) -> int:
    """Run queued trials, one line each. Ctrl-C and SIGTERM put its trial back."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    opened = storage(where.url, how.grace)
    with study_errors(where.url):
        study = open_study(opened, where.name)
        settings = profile(study.user_attrs["profile"])
        task = _task(settings, how.device)
        same_data(study, task.data)
    with interruptible():
        run_trials(
            opened,
            where.name,
            task,
            run_trial,
            attempt,
            seconds_a_trial=settings.seconds_a_trial,
            device=how.device,
            report=lambda row: print(described(row, row["number"]), flush=True),
        )
    return DONE


def rows(where: Where, out: Path) -> int:
    opened = storage(where.url)
    with study_errors(where.url):
        found = table(open_study(opened, where.name))
    try:
        out.write_text(to_csv(found), encoding="utf-8")
    except OSError as error:
        raise StudyError(f"{out} cannot be written: {error.strerror}") from None
    print(f"{out}: {len(found)} rows")
    return DONE


def report(where: Where, out: Path, as_json: bool) -> int:
    """Write the report and say where it is."""
    from .report import build  # the figures' library, which no worker needs
    from .report.material import material

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = material(storage(where.url), where.name)
    try:
        files = build.write(found, out)
    except ValueError as error:
        raise StudyError(f"the study {where.name!r} cannot be reported: {error}") from error
    if as_json:
        paths = {"html": str(files.html), "markdown": str(files.markdown)}
        paths_of_figures = [str(figure) for figure in files.figures]
        print(json.dumps({**build.as_data(found), **paths, "figures": paths_of_figures}))
    else:
        print(f"Report    {files.html}\nMarkdown  {files.markdown}")
    return DONE


def confirm(where: Where, seeds: str, device: str, as_json: bool) -> int:
    """Confirm the study, one line per seed, and print the result on the test split."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        numbers = [int(seed) for seed in seeds.split(",")]
    except ValueError:
        raise WrongOption(f"--seeds {seeds}: give whole numbers, as in 100,101,102") from None
    opened = storage(where.url)
    study = open_study(opened, where.name)
    deterministic()
    with study_errors(opened.url):
        with redirect_stdout(sys.stderr):  # what was loaded is told, and stdout is for the record
            task = _task(profile(study.user_attrs["profile"]), device)
        same_data(study, task.data)
        record = confirmation.confirm(
            study, task, numbers, lambda line: print(line, file=sys.stderr)
        )
    if as_json:
        print(json.dumps(record))
        return DONE
    reached = ", ".join(f"{value:.2f}" for value in record["test"])
    print(f"test split: {reached} ({record['measure']}); `course study report` shows it")
    return DONE


def _task(settings: StudyProfile, device: str) -> Task:
    """The task of a profile, on the data that `load` finds for it."""
    data = load(settings.dataset)
    if settings.text:
        return LanguageTask(settings, data, device, settings.text)
    if "label" in data["train"].column_names:
        return ClassificationTask(settings, data, device)
    return TranslationTask(settings, data, device)


def _settings(profile_name: str, how: How, pruner: str) -> StudyProfile:
    """The profile, once everything else that was given is found to be sound too."""
    if pruner not in PRUNERS:
        raise WrongOption(f"there is no pruner {pruner!r}: choose one of {', '.join(PRUNERS)}")
    try:
        torch.empty(0, device=how.device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        if "Could not run" in reason:  # the table of torch's dispatcher
            reason = "this torch cannot use it on this machine"
        raise WrongOption(f"--device {how.device} cannot be used: {reason}") from None
    try:
        return profile(profile_name)
    except ValueError as error:
        raise WrongOption(str(error)) from None


def _counts(found: list[Row]) -> dict[str, int]:
    return dict(Counter(row["status"] for row in found))


def _listed(found: list[Row]) -> str:
    return ", ".join(f"{number} {status}" for status, number in _counts(found).items())


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds > 5400 else f"{seconds / 60:.1f} minutes"

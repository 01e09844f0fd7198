"""The confirmation of a study: what it recommends, with fresh seeds, on the test split."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import optuna
from torch import nn

from .database.rows import rows
from .database.storage import StudyError
from .findings import Findings
from .space import Configuration
from .tasks.task import Task
from .trial import Row, attempt, run_trial

SEEDS = (100, 101, 102)


def confirm(
    study: optuna.Study,
    task: Task,
    seeds: Sequence[int] = SEEDS,
    report: Callable[[str], None] = lambda line: None,
) -> Row:
    """Train what the study recommends with `seeds`, and measure it on the test split, once.

    The record has `configuration`, `seeds`, `validation` and `test` (one quality a seed) and
    `measure`; it is kept in the study's attribute `confirmation`. The test split is measured
    after all trainings have ended well. Raises StudyError when the study is confirmed already,
    is not finished or recommends nothing, when a seed was used in it, and when a training fails.
    """
    configuration = _ready(study, seeds)
    trained = []
    for seed in seeds:
        row, model = _trained(configuration, seed, task)
        report(f"seed {seed}: {row['quality']:.2f} on the validation split")
        trained.append((row, model))
    _refuse_second(study)  # another process may have been faster
    record: Row = {
        "configuration": configuration,
        "seeds": list(seeds),
        "validation": [row["quality"] for row, _ in trained],
        "test": [task.test(model)["quality"] for _, model in trained],
        "measure": task.measure,
    }
    study.set_user_attr("confirmation", record)
    return record


def _ready(study: optuna.Study, seeds: Sequence[int]) -> Configuration:
    """The configuration to confirm. Raises StudyError."""
    _refuse_second(study)
    found = Findings(rows(study))
    name = study.study_name
    if found.unfinished:
        raise StudyError(
            f"the study {name!r} has {len(found.unfinished)} trials that are not finished: run "
            "them first, since a study can be confirmed only once"
        )
    used = {row["seed"] for row in found.rows}
    if len(set(seeds)) < len(seeds) or not seeds:
        raise StudyError("give at least one seed to confirm with, and each only once")
    if again := sorted(used & set(seeds)):
        raise StudyError(
            f"the seeds {', '.join(map(str, again))} took part in the study {name!r}: give fresh "
            "ones, as in --seeds 100,101,102"
        )
    if found.recommended is None:
        raise StudyError(
            f"the study {name!r} recommends nothing that could be confirmed: see "
            "`course study report` for the reason"
        )
    return found.configuration(found.recommended)


def _refuse_second(study: optuna.Study) -> None:
    if record := study.user_attrs.get("confirmation"):
        seeds = ", ".join(map(str, record["seeds"]))
        raise StudyError(
            f"the study {study.study_name!r} was confirmed before, with the seeds {seeds}: the "
            "test split is used once, and `course study report` shows what it gave"
        )


def _trained(configuration: Configuration, seed: int, task: Task) -> tuple[Row, nn.Module]:
    """The row of a complete trial, and the model that it trained."""
    keeping = _KeepingModel(task)
    row = attempt(lambda: run_trial(configuration, seed, cast(Task, keeping)))
    if row["status"] != "complete":
        raise StudyError(
            f"seed {seed} {row['status']} ({row['reason']}): nothing was measured on the test "
            "split; the configuration is not as sound as the study found"
        )
    assert keeping.made is not None
    return row, keeping.made


class _KeepingModel:
    """A task that keeps the model it made; in everything else it is the task it stands for."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.made: nn.Module | None = None

    def model(self, configuration: Configuration) -> nn.Module:
        self.made = self._task.model(configuration)
        return self.made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

"""A file for trials that finished while their database was away, so that none is trained twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution
from optuna.trial import TrialState, create_trial

from ..space import FACTORS


def rescue(name: str, trial: dict[str, Any]) -> Path:
    """Append a finished trial, its `key` and `row`, to the file of the study `name`."""
    file = _file(name)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(trial) + "\n")
    return file


def restore(study: optuna.Study) -> None:
    """Move the trials of the study's file, if it has one here, into its database."""
    file = _file(study.study_name)
    if not file.exists():
        return
    known = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    keys = {trial.user_attrs["key"] for trial in known}
    for line in file.read_text(encoding="utf-8").splitlines():
        trial = json.loads(line)
        if trial["key"] not in keys:
            params = {name: trial["row"][name] for name in FACTORS if name in trial["row"]}
            study.add_trial(
                create_trial(
                    params=params,
                    distributions={n: CategoricalDistribution(FACTORS[n]) for n in params},
                    value=trial["row"]["quality"],
                    user_attrs={**trial, "seed": trial["row"]["seed"], "design": "rescued"},
                )
            )
    file.unlink()


def _file(name: str) -> Path:
    return Path(f"{name}.finished.jsonl")

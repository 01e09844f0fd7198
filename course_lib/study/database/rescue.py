"""Files for trials that finished while their database was away, so that none is trained twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import optuna
from optuna.trial import TrialState

from ..space import FACTORS
from .points import add_trial, settled

STATES = {"complete": TrialState.COMPLETE, "pruned": TrialState.PRUNED}  # by status; else failed


def rescue(place: str, name: str, finished: dict[str, Any]) -> Path:
    """Write a finished trial of the study `name` to a file of its own, all of it or nothing.

    `finished` is its `number`, `key`, `design` and `row`; `place` is the database without its
    password: a study of the same name in another one is not given this trial.
    """
    file = Path(f"{quote(name, safe='')}.{finished['number']}.finished.json")
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps({"database": place, **finished}), encoding="utf-8")
    draft.replace(file)
    return file


def restore(study: optuna.Study, place: str) -> int:
    """Move the trials of such files in this folder into their study; returns how many."""
    restored = 0
    for file in sorted(Path().glob(f"{quote(study.study_name, safe='')}.*.finished.json")):
        finished = json.loads(file.read_text(encoding="utf-8"))
        if finished["database"] == place:
            restored += add(study, finished)
            file.unlink(missing_ok=True)
    return restored


def add(study: optuna.Study, finished: dict[str, Any]) -> bool:
    """Add a finished trial to its study unless it is there; returns whether it was not."""
    if finished["key"] in settled(study):
        return False
    row = finished["row"]
    state = STATES.get(row["status"], TrialState.FAIL)
    attributes = {**{n: finished[n] for n in ("key", "design", "row")}, "seed": row["seed"]}
    value = row["quality"] if state == TrialState.COMPLETE else None
    configuration = {name: row[name] for name in FACTORS if name in row}
    add_trial(study, configuration, attributes, state=state, value=value)
    return True

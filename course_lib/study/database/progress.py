"""What happens in a study, as lines to print: one a trial that ended."""

from __future__ import annotations

from typing import Any

import optuna
from optuna.trial import FrozenTrial

from .points import OPEN, settled


class Progress:
    """Which trials of a study ended since it was last asked, on whichever machine they ran."""

    def __init__(self, study: optuna.Study) -> None:
        self.study = study
        self.told = {t.number for t in study.get_trials(deepcopy=False) if t.state not in OPEN}

    def news(self) -> list[str]:
        """One line for each of them, with how many points of how many are done."""
        trials = self.study.get_trials(deepcopy=False)
        ended = [t for t in trials if t.state not in OPEN and t.number not in self.told]
        self.told |= {trial.number for trial in ended}
        if not ended:
            return []
        n_points = len({t.user_attrs["key"] for t in trials if "key" in t.user_attrs})
        n_done = len(settled(self.study)) - sum("row" in trial.user_attrs for trial in ended)
        awaited = {t.user_attrs.get("key") for t in trials if t.state in OPEN}
        lines = []
        for trial in ended:
            n_done += "row" in trial.user_attrs
            if line := _line(trial, trial.user_attrs.get("key") in awaited):
                lines.append(f"[{n_done}/{n_points}] {line}")
        return lines


def described(row: dict[str, Any], number: int) -> str:
    """A trial that ended, on one line."""
    sizes = f"{row['n_layers']} layers, {row['n_heads']} heads, dropout {row['dropout']}"
    rest = f"smoothing {row['label_smoothing']}, {row['schedule']}, warm-up {row['warmup']}"
    reached = f"{row['quality']:.2f}" if "quality" in row else row.get("reason", "")
    status = "" if row["status"] == "complete" else f"{row['status']} "
    line = f"trial {number}: {sizes}, {rest}, seed {row['seed']}: {status}{reached}"
    return f"{line.rstrip()} ({row['seconds']:.1f} s)"


def _line(trial: FrozenTrial, is_queued_again: bool) -> str:
    if "row" in trial.user_attrs:
        return described(trial.user_attrs["row"], trial.number)
    if "key" not in trial.user_attrs or "superseded" in trial.user_attrs:
        return ""
    what = "it is queued again" if is_queued_again else "it was tried often enough"
    worker = trial.user_attrs.get("worker", "that had just taken it")
    return f"trial {trial.number} was lost with its worker {worker}: {what}"

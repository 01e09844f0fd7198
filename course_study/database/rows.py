"""The trials of a study as rows: from its database, and to a CSV file."""

import csv
import io
import json

import optuna
from optuna.trial import FrozenTrial, TrialState

from ..space import FACTORS
from ..trial import Row

COLUMNS = (
    *FACTORS,
    *"seed status design steps quality measure validation_loss seconds train_seconds".split(),
    *"tokens_per_second inferences_per_second peak_memory_mib memory_of parameters".split(),
    *"device threads reason curve".split(),
)
UNFINISHED = {TrialState.WAITING: "waiting", TrialState.RUNNING: "running"}


def rows(study: optuna.Study) -> list[Row]:
    """One row per point of the design: what its trial measured, or how far it got.

    Where a point has several trials, a finished one takes precedence over a failed one, and that
    over one that a dead worker left.
    """
    best: dict[str, tuple[int, Row]] = {}
    for trial in study.get_trials(deepcopy=False):
        if key := trial.user_attrs.get("key"):
            ranked = (_rank(trial), _row(trial))
            if key not in best or ranked[0] > best[key][0]:
                best[key] = ranked
    return [row for _, row in best.values()]


def _rank(trial: FrozenTrial) -> int:
    if trial.state == TrialState.COMPLETE:
        return 3
    if trial.state in UNFINISHED:
        return 1
    return 2 if "row" in trial.user_attrs else 0


def _row(trial: FrozenTrial) -> Row:
    attributes = trial.user_attrs
    configuration, seed = json.loads(attributes["key"])
    row = {**configuration, "seed": seed, "design": attributes["design"]}
    row["status"] = UNFINISHED.get(trial.state, "worker lost")
    return row if trial.state in UNFINISHED else {**row, **attributes.get("row", {})}


def to_csv(table: list[Row]) -> str:
    """The rows as CSV, with `COLUMNS`; a curve is JSON. Numbers keep every digit."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in table:
        shown = {name: row.get(name) for name in COLUMNS}
        shown["curve"] = json.dumps(row["curve"]) if "curve" in row else ""
        writer.writerow({n: "" if value is None else value for n, value in shown.items()})
    return text.getvalue()

"""Studies made up for tests: trials written into a database as if they had been trained."""

import optuna
from optuna.distributions import CategoricalDistribution
from optuna.trial import TrialState, create_trial

from course_study.database.plan import key
from course_study.space import DEFAULT, FACTORS

ABOUT = {
    "device": "cpu",
    "measure": "accuracy in percent",
    "memory_of": "resident memory of the process",
    "worker": "host:1",
    "threads": 1,
    "deterministic_algorithms": True,
    "versions": {"python": "3.11", "torch": "2.13", "numpy": "2.4", "optuna": "5.0"},
}


def complete(quality, seed=0, train_seconds=10.0, memory=500.0, losses=(0.6, 0.4), **changed):
    """`(state, row)` of a trial that ran to step 60."""
    curve = [{"step": 30 * (i + 1), "loss": x, "quality": quality} for i, x in enumerate(losses)]
    row = {**DEFAULT, **changed, **ABOUT, "seed": seed, "steps": 60, "status": "complete"}
    row |= {"quality": quality, "validation_loss": losses[-1], "curve": curve, "seconds": 12.0}
    row |= {"train_seconds": train_seconds, "peak_memory_mib": memory, "parameters": 1000}
    return TrialState.COMPLETE, {**row, "tokens_per_second": 9.0, "inferences_per_second": 90.0}


def failed(status, reason, seed=0, **changed):
    row = {**DEFAULT, **changed, **ABOUT, "seed": seed, "steps": 0, "seconds": 1.0}
    return TrialState.FAIL, {**row, "status": status, "reason": reason, "peak_memory_mib": 400.0}


def pruned(quality_then, seed=0, **changed):
    row = {**DEFAULT, **changed, **ABOUT, "seed": seed, "steps": 0, "seconds": 4.0}
    row |= {"status": "pruned", "peak_memory_mib": 400.0, "quality_then": quality_then}
    return TrialState.PRUNED, row


def waiting(seed=0, **changed):
    return TrialState.WAITING, {**DEFAULT, **changed, "seed": seed}


def study_of(opened, *trials, **attributes):
    """A study with these trials, under a new name."""
    study = optuna.create_study(storage=opened, direction="maximize")
    for attribute, value in {"profile": "tiny", "pruner": "none", **attributes}.items():
        study.set_user_attr(attribute, value)
    for state, row in trials:
        configuration = {factor: row[factor] for factor in FACTORS}
        told = {"key": key(configuration, row["seed"]), "seed": row["seed"], "design": "made up"}
        if state == TrialState.WAITING:
            study.enqueue_trial(configuration, user_attrs=told)
            continue
        row = dict(row)
        then = row.pop("quality_then", None)
        study.add_trial(
            create_trial(
                state=state,
                params=configuration,
                distributions={n: CategoricalDistribution(v) for n, v in FACTORS.items()},
                value=row.get("quality"),
                user_attrs={**told, "row": row},
                intermediate_values={} if then is None else {20: then},
            )
        )
    return study

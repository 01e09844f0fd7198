"""The plan of a study: configurations with their seeds, queued once; which trial counts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState, create_trial

from course_lib.data.datasets import LoadedData

from ..space import FACTORS, Configuration
from .storage import StudyError, masked, study_errors

OPEN = (TrialState.WAITING, TrialState.RUNNING)
STATES = {"complete": TrialState.COMPLETE, "pruned": TrialState.PRUNED}  # by status; else failed
POINT = ("key", "seed", "design")  # the user attributes that say which point a trial is of


def key(configuration: Configuration, seed: int) -> str:
    """The identity of a trial."""
    return json.dumps([configuration, seed], sort_keys=True)


def settled(study: optuna.Study) -> set[str]:
    """The keys of the points that have their result: complete, pruned, or failed for a reason."""
    return _settled(study.get_trials(deepcopy=False))


def _settled(trials: Iterable[FrozenTrial]) -> set[str]:
    return {
        t.user_attrs["key"]
        for t in trials
        if t.state not in OPEN and "row" in t.user_attrs and "key" in t.user_attrs
    }


def queued(study: optuna.Study) -> list[Configuration]:
    """The configurations of the points that are still open, one each."""
    trials = study.get_trials(deepcopy=False, states=OPEN)
    keys = {t.user_attrs["key"] for t in trials if "key" in t.user_attrs}
    return [json.loads(this)[0] for this in sorted(keys - settled(study))]


def is_superseded(study: optuna.Study, trial: optuna.Trial) -> bool:
    """Whether another trial stands for the same point: a settled one, or an open one before it.

    Of two open trials of one point, which two `queue` at the same moment can leave, the later one
    gives way and the earlier one never does: the point is run, and once.
    """
    this, trials = trial.user_attrs["key"], study.get_trials(deepcopy=False)
    before = (t for t in trials[: trial.number] if t.state in OPEN)
    return this in _settled(trials) or any(t.user_attrs.get("key") == this for t in before)


def enqueue(study: optuna.Study, configuration: Configuration, point: dict[str, Any]) -> None:
    """Queue a trial; `point` has its `key`, `seed` and `design`."""
    _add_trial(study, configuration, {n: point[n] for n in POINT}, state=TrialState.WAITING)


def enqueue_again(study: optuna.Study, trial: FrozenTrial | optuna.Trial) -> None:
    """Queue a new trial of the same point, from the start."""
    configuration, _ = json.loads(trial.user_attrs["key"])
    enqueue(study, configuration, trial.user_attrs)


def _add_trial(
    study: optuna.Study, configuration: Configuration, attributes: dict[str, Any], **outcome: Any
) -> None:
    """Add a trial, with all its parameters in one transaction; `outcome` is its state and value.

    Optuna's `enqueue_trial` leaves it to the worker to write them down, one transaction each.
    """
    levels: dict[str, BaseDistribution] = {
        name: CategoricalDistribution(FACTORS[name]) for name in configuration
    }
    study.add_trial(
        create_trial(params=configuration, distributions=levels, user_attrs=attributes, **outcome)
    )


def end_silent(study: optuna.Study, grace: float) -> bool:
    """Queue again what a worker took without ever saying so: it died at that very moment.

    Optuna ends trials whose signs of life stopped; these never gave one. `grace` is in seconds.
    Returns whether a trial is queued then.
    """
    latest = datetime.now() - timedelta(seconds=grace)
    is_queued = False
    for trial in study.get_trials(deepcopy=False, states=OPEN):
        if trial.state == TrialState.WAITING:
            is_queued = True
            continue
        started = trial.datetime_start
        if "worker" not in trial.user_attrs and started is not None and started < latest:
            with suppress(UpdateFinishedTrialError, ValueError):  # another process was first
                study.tell(trial.number, state=TrialState.FAIL)
                if "key" in trial.user_attrs:
                    enqueue_again(study, trial)
                    is_queued = True
    return is_queued


def add_finished(study: optuna.Study, finished: dict[str, Any]) -> None:
    """Add a finished trial (its `key`, `design` and `row`) to its study, unless it is there."""
    if finished["key"] in settled(study):
        return
    row = finished["row"]
    state = STATES.get(row["status"], TrialState.FAIL)
    attributes = {**{n: finished[n] for n in ("key", "design", "row")}, "seed": row["seed"]}
    value = row["quality"] if state == TrialState.COMPLETE else None
    configuration = {name: row[name] for name in FACTORS if name in row}
    _add_trial(study, configuration, attributes, state=state, value=value)


Point = tuple[str, Configuration, int]  # where it comes from in the design, configuration, seed


@dataclass(frozen=True)
class Plan:
    """A study by name: the profile it trains by, and the points of its design, in order."""

    name: str
    profile: str
    points: Sequence[Point]
    pruner: str = "none"  # "none", "asha" or "hyperband"

    @classmethod
    def of(
        cls,
        name: str,
        profile: str,
        designs: Mapping[str, Iterable[Configuration]],
        seeds: Sequence[int],
        pruner: str = "none",
    ) -> "Plan":
        """Every configuration of every design once a seed; the first seed of all comes first."""
        points = [
            (design, configuration, seed)
            for seed in seeds
            for design, configurations in designs.items()
            for configuration in configurations
        ]
        return cls(name, profile, points, pruner)


def queue(opened: RDBStorage, plan: Plan) -> optuna.Study:
    """The study of `plan`, with every point queued that has no result and no open trial.

    A point whose worker was lost too often is queued again: the cause may be gone by now.
    Raises StudyError when a study of this name was planned with another profile or pruner.
    """
    with study_errors(opened.url):
        study = optuna.create_study(
            study_name=plan.name, storage=opened, direction="maximize", load_if_exists=True
        )
        about = {"profile": plan.profile, "pruner": plan.pruner}
        known = {name: study.user_attrs.get(name) for name in about}
        if any(value is not None and value != about[name] for name, value in known.items()):
            raise StudyError(
                f"{masked(opened.url)} has a study {plan.name!r} with {_listed(known)}, and "
                f"{_listed(about)} was asked for: give another --name, or the same profile"
            )
        for name, value in about.items():
            study.set_user_attr(name, value)
        still_open = study.get_trials(deepcopy=False, states=OPEN)
        taken = settled(study) | {trial.user_attrs.get("key") for trial in still_open}
        for design, configuration, seed in plan.points:
            if (this := key(configuration, seed)) not in taken:
                enqueue(study, configuration, {"key": this, "seed": seed, "design": design})
    return study


def _listed(about: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in about.items())


def same_data(study: optuna.Study, data: LoadedData) -> dict[str, Any]:
    """Record what `data` is, under the study's attribute `data`; returns the record.

    A machine that cannot reach a data set may be served another in its place, and its trials
    would not be comparable. Raises StudyError when the study has trials on other data.
    """
    record = {
        "name": data.name,
        "origin": data.origin,
        "sha256": data.sha256,
        "splits": {name: len(split) for name, split in data.splits.items()},
    }
    before = study.user_attrs.get("data")
    if before is None:
        study.set_user_attr("data", record)
    elif before["sha256"] != record["sha256"]:
        raise StudyError(
            f"the study {study.study_name!r} was run on {before['name']} from {before['origin']}, "
            f"and here is {data.name} from {data.origin}: make the same data available here "
            "(see COURSE_DATA), or give another --name"
        )
    return record

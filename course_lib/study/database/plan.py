"""The plan of a study: its configurations with their seeds, queued in its database once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.storages import RDBStorage

from ...data.datasets import LoadedData
from ..space import Configuration
from .points import OPEN, enqueue, key, settled
from .storage import StudyError, masked, study_errors

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
    ) -> Plan:
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

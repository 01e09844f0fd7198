"""What a study is to run: its configurations with their seeds, queued in its database once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.storages import RDBStorage

from ..space import Configuration
from .points import OPEN, enqueue, key, settled
from .rescue import restore
from .storage import StudyError, sentences, shown

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

    A point whose worker was lost too often is queued again: whoever asks may have mended the cause.
    Raises StudyError when a study of this name was planned with another profile or pruner.
    """
    with sentences(opened.url):
        study = optuna.create_study(
            study_name=plan.name, storage=opened, direction="maximize", load_if_exists=True
        )
        about = {"profile": plan.profile, "pruner": plan.pruner}
        known = {name: study.user_attrs.get(name) for name in about}
        if any(value is not None and value != about[name] for name, value in known.items()):
            raise StudyError(
                f"{shown(opened.url)} has a study {plan.name!r} with {_listed(known)}, and "
                f"{_listed(about)} was asked for: give another --name, or the same profile"
            )
        for name, value in about.items():
            study.set_user_attr(name, value)
        restore(study, shown(opened.url))
        still_open = study.get_trials(deepcopy=False, states=OPEN)
        taken = settled(study) | {trial.user_attrs.get("key") for trial in still_open}
        for design, configuration, seed in plan.points:
            if (this := key(configuration, seed)) not in taken:
                point: dict[str, Any] = {"key": this, "seed": seed, "design": design}
                enqueue(study, configuration, point)
    return study


def _listed(about: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in about.items())

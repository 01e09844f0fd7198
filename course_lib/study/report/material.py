"""All that a report is made from, read once from the study's database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.storages import RDBStorage
from optuna.trial import TrialState

from ..database.rows import rows
from ..database.storage import open_study, sentences, shown
from ..findings import Findings, Row
from ..importance import Importance, importance
from ..profiles import PROFILES, StudyProfile
from .wording import changes


@dataclass(frozen=True)
class Material:
    """A study's findings, and what surrounds them."""

    name: str
    url: str  # of its database, without the password
    findings: Findings
    settings: StudyProfile | None  # None: its profile is none of ours
    profile: str = "unknown"
    pruner: str = "none"
    data: Row | None = None  # what the workers loaded: name, origin, sha256, splits
    confirmation: Row | None = None
    pruned: list[Row] = field(default_factory=list)  # rows with `stopped_at` and `quality_then`
    importance: Importance | str = "not computed"  # or why there is none

    @property
    def measure(self) -> str:
        """What quality is."""
        return next((row["measure"] for row in self.findings.rows if row.get("measure")), "quality")

    @property
    def quality(self) -> str:
        """The measure without its signature, for axes and heads of tables."""
        return self.measure.partition(",")[0]

    def named(self, row: Row) -> str:
        return changes(row, self.findings.default)


def material(opened: RDBStorage, name: str) -> Material:
    """Read the study `name`. Raises StudyError."""
    study = open_study(opened, name)
    with sentences(opened.url):
        about = study.user_attrs
        findings = Findings.of(rows(study))
        return Material(
            name,
            shown(opened.url),
            findings,
            PROFILES.get(about.get("profile", "")),
            profile=about.get("profile", "unknown"),
            pruner=about.get("pruner", "none"),
            data=about.get("data"),
            confirmation=about.get("confirmation"),
            pruned=_pruned(study),
            importance=importance(study),
        )


def _pruned(study: optuna.Study) -> list[Row]:
    found: list[dict[str, Any]] = []
    for trial in study.get_trials(deepcopy=False, states=(TrialState.PRUNED,)):
        row = {**trial.params, "seed": trial.user_attrs.get("seed"), "seconds": None}
        row |= trial.user_attrs.get("row", {})
        row["stopped_at"] = trial.last_step
        row["quality_then"] = trial.intermediate_values.get(trial.last_step or 0)
        found.append(row)
    return found

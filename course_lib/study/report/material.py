"""All that a report is made from, read once from the study's database."""

from __future__ import annotations

from dataclasses import dataclass, field

import optuna
from optuna.importance import FanovaImportanceEvaluator, get_param_importances
from optuna.storages import RDBStorage
from optuna.trial import TrialState

from ..database.rows import rows
from ..database.storage import masked, open_study, study_errors
from ..findings import Findings
from ..profiles import PROFILES, StudyProfile
from ..trial import Row

FOREST_SEED = 0  # of the random forest behind `importance`
LEAST_TRIALS = 4  # below that no tree can split twice


@dataclass(frozen=True)
class Importance:
    """The share of each factor, 1 in all, and how many complete trials it was computed from."""

    shares: dict[str, float]
    n_trials: int


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


def material(opened: RDBStorage, name: str) -> Material:
    """Read the study `name`. Raises StudyError."""
    study = open_study(opened, name)
    with study_errors(opened.url):
        about = study.user_attrs
        return Material(
            name,
            masked(opened.url),
            Findings(rows(study)),
            PROFILES.get(about.get("profile", "")),
            profile=about.get("profile", "unknown"),
            pruner=about.get("pruner", "none"),
            data=about.get("data"),
            confirmation=about.get("confirmation"),
            pruned=_pruned(study),
            importance=importance(study),
        )


def _pruned(study: optuna.Study) -> list[Row]:
    return [
        {
            **trial.user_attrs["row"],
            "stopped_at": trial.last_step,
            "quality_then": trial.intermediate_values[trial.last_step],
        }
        for trial in study.get_trials(deepcopy=False, states=(TrialState.PRUNED,))
        if "row" in trial.user_attrs and trial.last_step is not None
    ]


def importance(study: optuna.Study) -> Importance | str:
    """The shares of fANOVA (Hutter et al. 2014), or a sentence saying why there are none.

    A random forest is fitted to the quality of the complete trials; pruned and failed ones take
    no part. A factor's share is the part of the forest's variance, averaged over all other
    factors, that it explains alone, and the shares are scaled to a sum of 1.
    """
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    if len(trials) < LEAST_TRIALS:
        return f"It needs at least {LEAST_TRIALS} complete trials, and there are {len(trials)}."
    if len({trial.value for trial in trials}) == 1:
        return "All complete trials have the same quality: there is no spread to account for."
    try:
        evaluator = FanovaImportanceEvaluator(seed=FOREST_SEED)
        shares = get_param_importances(study, evaluator=evaluator)
    except (RuntimeError, ValueError) as error:
        return f"Optuna could not compute it: {error}."
    return Importance(dict(shares), len(trials))

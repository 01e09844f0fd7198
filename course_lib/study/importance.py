"""How much of the spread of quality each factor accounts for, by functional ANOVA."""

from __future__ import annotations

from dataclasses import dataclass

import optuna
from optuna.importance import FanovaImportanceEvaluator, get_param_importances
from optuna.trial import TrialState

SEED = 0  # of the random forest
LEAST_TRIALS = 4  # below that no tree can split twice


@dataclass(frozen=True)
class Importance:
    """The share of each factor, 1 in all, and how many complete trials it was computed from."""

    shares: dict[str, float]
    n_trials: int


def importance(study: optuna.Study) -> Importance | str:
    """The shares of Hutter et al. (2014), or a sentence saying why there are none.

    A random forest is fitted to the quality of the complete trials; pruned and failed ones take
    no part. A factor's share is the part of the forest's variance, averaged over all other
    factors, that it explains alone, and the shares are scaled to a sum of 1.
    """
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    if len(trials) < LEAST_TRIALS:
        return f"It needs at least {LEAST_TRIALS} complete trials, and there are {len(trials)}."
    if len({trial.value for trial in trials}) == 1:
        return "All complete trials have the same quality: there is no spread to account for."
    evaluator = FanovaImportanceEvaluator(seed=SEED)
    try:
        shares = get_param_importances(study, evaluator=evaluator)
    except (RuntimeError, ValueError) as error:
        return f"Optuna could not compute it: {error}."
    return Importance(dict(shares), len(trials))

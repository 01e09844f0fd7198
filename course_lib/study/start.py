"""From a profile's name to what a study needs: its task and its plan."""

from __future__ import annotations

from ..data.datasets import load
from .database.plan import Plan
from .designs import one_at_a_time, sampled_design
from .profiles import StudyProfile
from .space import DEFAULT, FACTORS
from .tasks.classification import ClassificationTask
from .tasks.translation import TranslationTask

DESIGN_SEED = 0  # of the configurations that are drawn at random


def task_of(settings: StudyProfile, device: str = "cpu") -> ClassificationTask | TranslationTask:
    """The task of a profile, on the data that `load` finds for it."""
    data = load(settings.dataset)
    if "label" in data["train"].column_names:
        return ClassificationTask(settings, data, device)
    return TranslationTask(settings, data, device)


def plan_of(settings: StudyProfile, name: str, pruner: str = "none") -> Plan:
    """One factor at a time around the default, then configurations drawn at random."""
    single = one_at_a_time(DEFAULT, FACTORS)
    sampled = sampled_design(FACTORS, settings.n_sampled, DESIGN_SEED, taken=single)
    designs = {"one at a time": single, "sampled": sampled}
    return Plan.of(name, settings.name, designs, settings.seeds, pruner)

"""How the average of a training's weights compares with its last weights, on validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import nn

from course_lib.data import datasets
from course_lib.evaluation.translation import bleu
from course_lib.recipes.translation import pairs_to_batches, train_translator
from course_lib.recipes.translation_profiles import profile
from course_lib.training.weight_averages import WeightAverage
from grader.authoring import results_file

SHARES = (0.2, 0.6, 0.8, 0.9, 0.95)  # of all steps: averages of the weights after them
Measures = dict[str, Any]


def run(profile_name: str, seeds: Sequence[int], log: Callable[[str], None]) -> Measures:
    """Train once per seed; writes the BLEU of each average to `results/averages_PROFILE.json`.

    The translations are those of greedy search on the validation split.
    """
    torch.set_num_threads(1)
    settings = profile(profile_name)
    data = datasets.load(settings.dataset)
    validation, rows, measures = data["validation"][:], list[dict[str, float]](), Measures()
    about = {"name": data.name, "source": data.origin, "sha256": data.sha256}
    for seed in seeds:
        _, batches = pairs_to_batches(data, settings, seed)
        averages = _Averages(settings.epochs * len(batches))
        trained = train_translator(data, settings, seed, after_step=averages.after_step)
        rows.append({})
        for name in averages.each(trained.model):
            made = trained.translator.translate(validation[settings.source], width=1)
            rows[-1][name] = bleu(made, validation[settings.target]).value
        log(f"seed {seed}: " + ", ".join(f"{key} {value:.2f}" for key, value in rows[-1].items()))
        measures = results_file.of_rows(rows, lambda key: "BLEU")
        command = f"course bench averages --profile {profile_name} --seeds "
        command += ",".join(str(one) for one in seeds[: len(rows)])
        results_file.write(f"averages_{profile_name}", command, measures, about)
    return measures


class _Averages:
    """The averages from each of `SHARES` on, and the last weights, of a training of `n_steps`."""

    def __init__(self, n_steps: int) -> None:
        self.n_steps = n_steps
        self._averages: dict[float, WeightAverage] = {}
        self._last: dict[str, Any] = {}

    def after_step(self, model: nn.Module, step: int) -> None:
        """Add the weights after step number `step`, counted from 1."""
        for share in SHARES:
            if step > min(round(share * self.n_steps), self.n_steps - 1):
                self._averages.setdefault(share, WeightAverage(model)).update()
        if step == self.n_steps:
            self._last = {key: tensor.clone() for key, tensor in model.state_dict().items()}

    def each(self, model: nn.Module) -> Iterator[str]:
        """Names of the averages; while one is yielded, `model` has its weights."""
        model.load_state_dict(self._last)
        yield "last_weights"
        for share, average in self._averages.items():
            model.load_state_dict(average.weights)
            yield f"average_from_{share:g}"

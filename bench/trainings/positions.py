"""Five position schemes in one language model on real text, as a factor of the study."""

import math
from collections.abc import Sequence

import torch

from bench.real_data import real
from bench.record import Log, Measures, listed, of_values, origin
from course_study.designs import one_at_a_time
from course_study.intervals import mean_interval
from course_study.profiles import profile
from course_study.space import DEFAULT, POSITIONS, SINUSOIDAL
from course_study.tasks.language import LanguageTask
from course_study.trial import Row, run_trial
from grader.authoring import results_file

NAME, PROFILE = "positions", "language"
# All but the positions: two layers, and the best rate and smoothing of so short a training.
BASE = {**DEFAULT, "n_layers": 2, "n_heads": 4, "label_smoothing": 0.0, "schedule": "cosine"}


def run(seeds: Sequence[int], log: Log) -> Measures:
    """A trial of every scheme with every seed; writes after each seed.

    A seed draws the weights and the order of the text for all schemes. The perplexity is that of
    the validation split, on which nothing was chosen: in blocks as trained on, and in longer ones.
    """
    torch.set_num_threads(1)
    settings = profile(PROFILE)
    data = real(settings.dataset)
    task = LanguageTask(settings, data)
    design = one_at_a_time({**BASE, "positions": SINUSOIDAL}, POSITIONS)
    found: dict[str, list[Row]] = {}
    for done, seed in enumerate(seeds, start=1):
        for configuration in design:
            scheme = configuration["positions"]
            row = run_trial(configuration, seed, task)
            found.setdefault(scheme, []).append(row)
            log(f"seed {seed}, {scheme}: perplexity {math.exp(row['validation_loss']):.2f}")
        measures = _measures(found)
        command = f"course bench positions --seeds {listed(seeds[:done])}"
        results_file.write(NAME, command, measures, origin(data), also={"configuration": BASE})
    return measures


def _measures(found: dict[str, list[Row]]) -> Measures:
    """Perplexities of every scheme, and the factor between it and sinusoids, seed by seed."""
    values: dict[str, list[float]] = {}
    plain = [row["validation_loss"] for row in found[SINUSOIDAL]]
    for scheme, rows in found.items():
        losses = [row["validation_loss"] for row in rows]
        longer = [row["curve"][-1]["loss_longer"] for row in rows]
        values[f"{scheme}_perplexity"] = list(map(math.exp, losses))
        values[f"{scheme}_perplexity_longer"] = list(map(math.exp, longer))
        values[f"{scheme}_right"] = [row["quality"] for row in rows]
        values[f"{scheme}_parameters"] = [rows[0]["parameters"]]
        values[f"{scheme}_seconds"] = [row["train_seconds"] for row in rows]
        if scheme == SINUSOIDAL:
            continue
        gaps = [own - other for own, other in zip(losses, plain, strict=True)]
        _, low, high = mean_interval(gaps)
        for ending, some in {"": gaps, "_low": [low], "_high": [high]}.items():
            if all(map(math.isfinite, some)):  # one seed has no interval
                values[f"{scheme}_factor{ending}"] = list(map(math.exp, some))
    return of_values(values)

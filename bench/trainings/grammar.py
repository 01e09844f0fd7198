"""Trains the translator on the grammar's sentences; measures exact match and word alignment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from course_lib.analysis.translator_alignment import error_rate
from course_lib.data import datasets
from course_lib.data.grammar.sentence_pairs import pairs
from course_lib.evaluation.translation import bleu, exact_match
from course_lib.recipes.translation import train_translator
from course_lib.recipes.translation_profiles import profile
from grader.authoring import results_file

PROFILE, NAME = "grammar", "grammar_cpu"
UNITS = {"exact_match_percent": "%", "bleu": "BLEU", "cpu_minutes": "min"}
Measures = dict[str, Any]


def run(seeds: Sequence[int], log: Callable[[str], None]) -> Measures:
    """Train once per seed, evaluate on the test split; writes `results/grammar_cpu.json`."""
    torch.set_num_threads(1)
    settings = profile(PROFILE)
    data = datasets.load(settings.dataset, sources=["generated"])
    test = data["test"][:]
    rows = list[dict[str, float]]()
    for seed in seeds:
        trained = train_translator(data, settings, seed, progress=True)
        translations = trained.translator.translate(test[settings.source], width=1)
        rows.append(
            {
                "exact_match_percent": 100 * exact_match(translations, test[settings.target]),
                "alignment_error_rate": error_rate(trained.translator, pairs("test")),
                "bleu": bleu(translations, test[settings.target]).value,
                "cpu_minutes": trained.cpu_seconds / 60,
            }
        )
        log(f"seed {seed}: " + ", ".join(f"{key} {value:.3f}" for key, value in rows[-1].items()))
    measures = results_file.of_rows(rows, lambda key: UNITS.get(key, "1"))
    about = {"name": data.name, "source": data.origin, "sha256": data.sha256}
    command = f"course bench grammar --seeds {','.join(map(str, seeds))}"
    results_file.write(NAME, command, measures, about)
    return measures

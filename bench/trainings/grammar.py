"""Trains the translator on the grammar's sentences; measures exact match and word alignment."""

from collections.abc import Sequence

import torch

from bench.record import Log, Measures, Row, by_seed, origin
from course_lib.analysis.translator_alignment import error_rate
from course_lib.data import datasets
from course_lib.data.grammar.sentence_pairs import pairs
from course_lib.evaluation.translation import bleu, exact_match
from course_lib.recipes.translation import train_translator
from course_lib.recipes.translation_profiles import profile

PROFILE, NAME = "grammar", "grammar_cpu"


def run(seeds: Sequence[int], log: Log) -> Measures:
    """Train once per seed, evaluate on the test split; writes `results/grammar_cpu.json`."""
    torch.set_num_threads(1)
    settings = profile(PROFILE)
    data = datasets.load(settings.dataset, sources=["generated"])
    test = data["test"][:]

    def measured(seed: int) -> Row:
        trained = train_translator(data, settings, seed, progress=True)
        translations = trained.translator.translate(test[settings.source], width=1)
        return {
            "exact_match_percent": 100 * exact_match(translations, test[settings.target]),
            "alignment_error_rate": error_rate(trained.translator, pairs("test")),
            "bleu": bleu(translations, test[settings.target]).value,
            "cpu_minutes": trained.cpu_seconds / 60,
        }

    return by_seed(NAME, "grammar --seeds {seeds}", seeds, measured, origin(data), log)

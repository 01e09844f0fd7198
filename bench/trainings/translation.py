"""Trains the translator on real Multi30k and records its results, one value per seed."""

import json
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from itertools import repeat

import torch

from bench import CHECKOUT
from bench.record import Log, Measures, Row, listed, of_rows, origin
from course_lib.data import datasets
from course_lib.data.registry import Source
from course_lib.decoding.translator import Translator
from course_lib.evaluation.translation import bleu, bootstrap, paired_bootstrap
from course_lib.recipes.translation import TrainedTranslator, train_translator
from course_lib.recipes.translation_profiles import TranslationProfile, profile
from grader.authoring import results_file

REAL: tuple[Source, ...] = ("mirror",)
TEST = "test_2016_flickr"
WIDTH = 5
LENGTH_PENALTIES = (0.0, 0.6, 1.0, 1.4, 2.0, 3.0)  # one is chosen on validation
MODELS = CHECKOUT / "out" / "translators"


def run(
    profile_name: str,
    seeds: Sequence[int],
    name: str,
    test_name: str | None,
    jobs: int,
    resume: bool,
    log: Log,
) -> Measures:
    """Train once per seed; writes `results/NAME.json` after each, the model to `out/translators`.

    `jobs` seeds are trained at a time, each with one thread; with `resume`, none that an earlier
    run with this name and these settings finished: their rows lie beside its models. The test
    split is translated only with `test_name`, after training and the choice of the length penalty;
    the results are written to `results/TEST_NAME.json`.
    """
    data = datasets.load(profile(profile_name).dataset, sources=REAL)
    about = origin(data) | {"bleu": bleu(["a b c d"], ["a b c d"]).signature}
    rows, test_rows = list[Row](), list[Row]()
    measures: Measures = {}
    asked = seeds, repeat(profile_name), repeat(name), repeat(bool(test_name)), repeat(resume)
    with ExitStack() as stack:
        each: Callable[..., Iterator[tuple[Row, Row]]] = map
        if jobs > 1:
            context = multiprocessing.get_context("spawn")
            each = stack.enter_context(ProcessPoolExecutor(jobs, context)).map
        for seed, (row, test_row) in zip(seeds, each(_seed, *asked), strict=True):
            log(f"seed {seed}: " + _line(row | test_row))
            rows.append(row)
            measures = of_rows(rows)
            command = _command(profile_name, seeds[: len(rows)], jobs, name, test_name)
            results_file.write(name, command, measures, about)
            if test_name:
                test_rows.append(test_row)
                tested = of_rows(test_rows)
                results_file.write(test_name, command, tested, about)
                measures |= tested
    return measures


def _command(
    profile_name: str, seeds: Sequence[int], jobs: int, name: str, test_name: str | None
) -> str:
    """The command that gives the results of these seeds: an interrupted run has fewer."""
    command = f"course bench multi30k --profile {profile_name} --seeds {listed(seeds)}"
    command += f" --jobs {jobs}" if jobs > 1 else ""
    return command + f" --name {name}" + (f" --test {test_name}" if test_name else "")


def _seed(seed: int, profile_name: str, name: str, test: bool, resume: bool) -> tuple[Row, Row]:
    """The results of training with one seed, on the test split too if asked for."""
    settings = profile(profile_name)
    kept, asked = MODELS / f"{name}_{seed}.json", [repr(settings), test]
    if resume and kept.exists():
        finished, row, test_row = json.loads(kept.read_text(encoding="utf-8"))
        if finished == asked:
            return row, test_row
    torch.set_num_threads(1)
    data = datasets.load(settings.dataset, sources=REAL)
    trained = train_translator(data, settings, seed, progress=True)
    trained.translator.save(MODELS / f"{name}_{seed}")
    row = _trained(trained, data, settings)
    test_row = _tested(trained.translator, data, settings) if test else {}
    kept.write_text(json.dumps([asked, row, test_row]), encoding="utf-8")
    return row, test_row


def _trained(
    trained: TrainedTranslator, data: datasets.LoadedData, settings: TranslationProfile
) -> Row:
    """Results of the training. `cpu_minutes` includes training the tokenizer."""
    validation = data["validation"][:]
    translations, seconds = _translate(trained.translator, validation[settings.source], 1, 0.0)
    reached = {
        "validation_bleu": bleu(translations, validation[settings.target]).value,
        "cpu_minutes": trained.cpu_seconds / 60,
        "wall_minutes": trained.wall_seconds / 60,
        "decoding_cpu_minutes": seconds / 60,
        "training_tokens_per_cpu_second": trained.tokens / trained.cpu_seconds,
    }
    before = 0.0
    samples = [row for row in trained.history if "sample_bleu" in row]
    for number, row in enumerate(samples, start=1):
        steps = [r for r in trained.history if "loss" in r and before < r["step"] <= row["step"]]
        reached[f"training_loss_epoch_{number}"] = statistics.fmean(r["loss"] for r in steps)
        reached[f"sample_bleu_epoch_{number}"] = row["sample_bleu"]
        before = row["step"]
    return reached


def _tested(translator: Translator, data: datasets.LoadedData, settings: TranslationProfile) -> Row:
    """Test BLEU of greedy and beam search, with the length penalty that is best on validation.

    Resampling the sentences gives their difference a 95 % interval, and the beam's score a standard
    error.
    """
    reached = {}
    validation, test = data["validation"][:], data[TEST][:]
    for penalty in LENGTH_PENALTIES:
        translations, _ = _translate(translator, validation[settings.source], WIDTH, penalty)
        reached[_penalty_key(penalty)] = bleu(translations, validation[settings.target]).value
    best = max(LENGTH_PENALTIES, key=lambda penalty: reached[_penalty_key(penalty)])
    references = test[settings.target]
    greedy, greedy_seconds = _translate(translator, test[settings.source], 1, best)
    beam, beam_seconds = _translate(translator, test[settings.source], WIDTH, best)
    compared = paired_bootstrap(beam, greedy, references)
    return reached | {
        "length_penalty": best,
        "greedy_bleu": compared.second,
        f"beam{WIDTH}_bleu": compared.first,
        f"beam{WIDTH}_bleu_standard_error": float(bootstrap(beam, references).std(ddof=1)),
        "difference_bleu": compared.difference,
        "difference_bleu_low": compared.interval[0],
        "difference_bleu_high": compared.interval[1],
        "difference_p_value": compared.p_value,
        "greedy_sentences_per_cpu_second": len(greedy) / greedy_seconds,
        f"beam{WIDTH}_sentences_per_cpu_second": len(beam) / beam_seconds,
    }


def _penalty_key(penalty: float) -> str:
    return f"validation_beam{WIDTH}_bleu_length_penalty_{penalty}"


def _translate(
    translator: Translator, texts: list[str], width: int, penalty: float
) -> tuple[list[str], float]:
    """The translations and the CPU seconds they took."""
    started = time.process_time()
    translations = translator.translate(texts, width=width, length_penalty=penalty)
    return translations, time.process_time() - started


def _line(row: Row) -> str:
    return ", ".join(f"{key} {value:.2f}" for key, value in row.items() if "_epoch_" not in key)

"""Fills measured figures from `results/` into documents.

A document contains `<!-- figures: NAME -->…<!-- /figures -->`; the build writes the text between.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.library.components import BuildError

Measures = dict[str, dict[str, Any]]

PLACE = re.compile(r"<!-- figures: (\w+) -->.*?<!-- /figures -->", re.DOTALL)


def filled(text: str, results: Path) -> str:
    """The document with every figure filled in. Raises BuildError for a missing one."""

    def figure(found: re.Match[str]) -> str:
        return f"<!-- figures: {found[1]} -->{_sentence(found[1], results)}<!-- /figures -->"

    return PLACE.sub(figure, text)


def _sentence(name: str, results: Path) -> str:
    if name not in SENTENCES:
        raise BuildError(f"there is no sentence for the figures {name!r}: add one to SENTENCES")
    path = results / f"{name}.json"
    if not path.exists():
        raise BuildError(f"results/{name}.json is missing: run its command first")
    content = json.loads(path.read_text(encoding="utf-8"))
    sentence = SENTENCES[name](content["measures"])
    return f"{sentence} (`{content['command']}`, {content['device']})."


def _medians(measures: Measures) -> dict[str, Any]:
    return {name: statistics.median(measure["values"]) for name, measure in measures.items()}


def _sst2(measures: Measures) -> str:
    values = {name: f"{m['mean']:.1f}" for name, m in measures.items()}
    seeds = len(measures["validation_accuracy"]["values"])
    return (
        f"{values['validation_accuracy']} % of the validation sentences (standard deviation over "
        f"{seeds} seeds {measures['validation_accuracy']['sd']:.1f}) and "
        f"{values['test_accuracy']} % of the test sentences, in {values['cpu_minutes']} CPU "
        "minutes a seed"
    )


def _encoder(measures: Measures) -> str:
    median = _medians(measures)
    return (
        "A training step of the encoder runs at "
        f"{median['layers_2_median_speedup_same_work']:.2f} (two layers) and "
        f"{median['layers_6_median_speedup_same_work']:.2f} (six) times the speed of "
        "`torch.nn.TransformerEncoder` doing the same work"
    )


def _grading(measures: Measures) -> str:
    median = _medians(measures)
    return (
        f"A submission is graded in {median['a1_seconds']:.2f} s (assignment 1) and "
        f"{median['a2_seconds']:.2f} s (assignment 2). A class, with two jobs, takes "
        f"{median['speedup_over_nbgrader']:.0f} times less wall time a submission than "
        "`nbgrader autograde` on the same notebooks; one at a time, "
        f"{median['speedup_one_at_a_time']:.0f} times less"
    )


def _model(measures: Measures) -> str:
    median = _medians(measures)
    return (
        "Multi-head attention of base size, forward and backward without weights, runs at "
        f"{median['speedup_over_nn_multihead_attention']:.2f} times the speed of "
        "`torch.nn.MultiheadAttention`"
    )


def _multi30k(measures: Measures) -> str:
    values, minutes = (measures[key]["values"] for key in ("validation_bleu", "cpu_minutes"))
    return (
        f"{min(values):.1f} to {max(values):.1f} BLEU on validation with greedy search over "
        f"{len(values)} seeds, after {statistics.median(minutes):.1f} CPU minutes each"
    )


def _multi30k_on_a_gpu(measures: Measures) -> str:
    values, minutes = (measures[key]["values"] for key in ("validation_bleu", "wall_minutes"))
    return (
        f"{min(values):.1f} to {max(values):.1f} BLEU over {len(values)} seeds, after "
        f"{statistics.median(minutes):.1f} minutes each"
    )


def _test2016(measures: Measures) -> str:
    median = _medians(measures)
    lowest = min(measures["difference_bleu_low"]["values"])
    highest = max(measures["difference_bleu_high"]["values"])
    return (
        f"{median['greedy_bleu']:.1f} BLEU with greedy search on test_2016_flickr and "
        f"{median['beam5_bleu']:.1f} with a beam of 5; the difference is "
        f"{median['difference_bleu']:.1f}, and the seeds' 95 % intervals reach from {lowest:.1f} "
        f"to {highest:.1f}"
    )


def _grammar(measures: Measures) -> str:
    values = {name: measure["values"] for name, measure in measures.items()}
    exact, rates = values["exact_match_percent"], values["alignment_error_rate"]
    return (
        f"{min(exact):.1f} to {max(exact):.1f} % of 1,000 new sentences exactly right, and an "
        f"alignment error rate of {min(rates):.2f} to {max(rates):.2f} from attention alone, over "
        f"{len(exact)} seeds of {statistics.median(values['cpu_minutes']):.1f} CPU minutes"
    )


def _decode(measures: Measures) -> str:
    median = _medians(measures)
    return (
        "Beam search with the cache runs at "
        f"{median['speedup_over_uncached']:.1f} times the speed of the same search without, "
        f"{median['speedup_over_huggingface']:.1f} times that of Hugging Face's `generate`, "
        f"{median['speedup_over_joeynmt']:.1f} times Joey NMT's and "
        f"{median['speedup_over_ctranslate2']:.2f} times CTranslate2's, with the same weights, and "
        f"{median['identical_to_ctranslate2']:.0f} % of the translations are those of CTranslate2"
    )


def _train(measures: Measures) -> str:
    median = _medians(measures)
    return (
        "A training step of the Transformer at base size runs at "
        f"{median['speedup_over_nn_transformer']:.2f} times the speed of `torch.nn.Transformer` "
        "with the same loss"
    )


def _study(measures: Measures) -> str:
    median = _medians(measures)
    return (
        f"Two workers finish {median['workers_2_speedup']:.1f} times the trials a minute of one; "
        f"beside its training, a trial costs {1000 * median['overhead_seconds_a_trial']:.0f} ms "
        f"({median['overhead_percent']:.1f} % of a training of "
        f"{3600 / median['trials_per_hour']:.0f} s); a loop written with Optuna alone runs the "
        f"same trials at {1 / median['speed_over_plain_optuna']:.2f} times the speed"
    )


def _similar(measures: Measures) -> str:
    rates = {name: f"{measure['mean']:.3g}" for name, measure in measures.items()}
    pairs = len(measures["accused_independent"]["values"])
    highest = max(measures["highest_independent"]["values"])
    return (
        f"Of {pairs} pairs of independent correct solutions, {rates['accused_independent']} % are "
        f"listed (the closest has {highest:.0f} % in common), of pairs with an untouched starter "
        f"{rates['accused_starters']} %; copies are found in {rates['found_renamed']} % if "
        f"renamed, {rates['found_laid_out_anew']} % with other comments and layout, "
        f"{rates['found_reordered']} % reordered, {rates['found_padded']} % with useless lines, "
        f"{rates['found_all_at_once']} % with all of these, and {rates['found_half']} % if also "
        "only half is copied"
    )


def _large_class(measures: Measures) -> str:
    median = _medians(measures)
    named = [re.fullmatch(r"workers_(\d+)_per_second", name) for name in median]
    numbers = [int(found[1]) for found in named if found]
    few, many = min(numbers), max(numbers)
    ratio = median[f"workers_{many}_per_second"] / median[f"workers_{few}_per_second"]
    return (
        f"With {many} workers, {median['class_per_second']:.1f} submissions of a large class are "
        f"graded in a second, {ratio:.1f} times as many as with {few}"
    )


def _trained_class(measures: Measures) -> str:
    median = _medians(measures)
    return (
        "A class whose translators are run again and scored takes "
        f"{median['seconds_per_submission']:.1f} s a submission with two jobs, all hidden tests of "
        f"assignment 4 included, and {median['cpu_seconds_per_submission']:.1f} s of CPU time"
    )


def _site(measures: Measures) -> str:
    median = _medians(measures)

    def lowest(category: str) -> str:
        return (
            f"{min(v for name, v in median.items() if re.fullmatch(rf'.+_{category}', name)):.0f}"
        )

    return (
        "The home page, a lecture and the page with the model have Lighthouse scores of at least "
        f"{lowest('phone_performance')} (a slow phone) and {lowest('desktop_performance')} "
        f"(a desktop) for performance, {lowest('accessibility')} for accessibility and "
        f"{lowest('best_practices')} for best practices, of 100"
    )


SENTENCES: dict[str, Callable[[Measures], str]] = {
    "bench_encoder": _encoder,
    "bench_grading": _grading,
    "sst2_cpu": _sst2,
    "sst2_six_layers": _sst2,
    "bench_model": _model,
    "bench_decode": _decode,
    "bench_train": _train,
    "grammar_cpu": _grammar,
    "multi30k_cpu": _multi30k,
    "multi30k_colab": _multi30k_on_a_gpu,
    "multi30k_test2016": _test2016,
    "bench_study": _study,
    "bench_similar": _similar,
    "bench_class": _large_class,
    "bench_trained_class": _trained_class,
    "bench_site": _site,
}

"""The sentences of documents with measured figures, from `results/`."""

import re
from collections.abc import Callable
from pathlib import Path

from grader.library.components import BuildError

from . import generated_parts, language_figures
from .measures import Measure, Measures


def filled(text: str, results: Path) -> str:
    """The document with every figure filled in. Raises BuildError for a missing one."""
    return generated_parts.filled(text, "figures", lambda name: _sentence(name, results))


def _sentence(name: str, results: Path) -> str:
    if name not in SENTENCES:
        raise BuildError(f"there is no sentence for the figures {name!r}: add one to SENTENCES")
    content = generated_parts.results(results, name)
    return f"{SENTENCES[name](Measures.of(content))} (`{content['command']}`, {content['device']})."


def _sst2(m: Measures) -> str:
    return (
        f"{m.validation_accuracy.mean:.1f}% of the validation sentences (standard deviation over "
        f"{len(m.validation_accuracy.values)} seeds {m.validation_accuracy.sd:.1f}) and "
        f"{m.test_accuracy.mean:.1f}% of the test sentences, in {m.cpu_minutes.mean:.1f} CPU "
        "minutes a seed"
    )


def _published(m: Measures) -> str:
    """Results of fine-tuning a published encoder with 1,000 labels, and their cost."""
    tuned, validation = (
        m[f"fine_tuned_1000_labels_{measure}"] for measure in ("accuracy", "validation_accuracy")
    )
    return (
        f"With 1,000 labels and {m.fine_tuned_cpu_minutes.mean:.1f} CPU minutes, fine-tuning "
        f"reaches {tuned.mean:.1f}% of the test sentences and {validation.mean:.1f}% of the "
        f"validation sentences. Adapters reach {m.low_rank_1000_labels_accuracy.mean:.1f}% of the "
        f"test sentences, the mean of {len(tuned.values)} seeds, while only "
        f"{m.low_rank_weights_that_learn.mean:,.0f} weights learn"
    )


def _signed(points: float) -> str:
    return f"{points:+.1f}".replace("-", "−")


def _translator(m: Measures) -> str:
    seeds = len(m.validation_bleu.values)
    return (
        f"{_range(m.validation_bleu)} BLEU on validation with greedy search "
        f"({seeds} {'seed' if seeds == 1 else 'seeds'}), after {m.cpu_minutes.mean:.1f} CPU minutes"
    )


def _translated(m: Measures) -> str:
    return (
        f"{m.greedy_bleu.mean:.1f} BLEU with greedy search on test_2016_flickr and "
        f"{m.beam5_bleu.mean:.1f} with a beam of 5 (standard error "
        f"{m.beam5_bleu_standard_error.mean:.1f}); the difference is {m.difference_bleu.mean:.1f}, "
        f"95% interval {_signed(m.difference_bleu_low.low)} to "
        f"{_signed(m.difference_bleu_high.high)} over all seeds"
    )


def _range(m: Measure) -> str:
    low, high = f"{m.low:.1f}", f"{m.high:.1f}"
    return low if low == high else f"{low} to {high}"


def _table3(m: Measures) -> str:
    """The result of each row of Table 3, with its lowest and highest value."""
    rows = [name.removesuffix("_perplexity") for name in m if name.endswith("_perplexity")]

    def shown(row: str) -> str:
        perplexity, bleu = m[f"{row}_perplexity"], m[f"{row}_bleu"]
        return (
            f"row `{row}` a perplexity of {perplexity.mean:.2f} ({perplexity.low:.2f} to "
            f"{perplexity.high:.2f}) and {bleu.mean:.1f} BLEU ({bleu.low:.1f} to {bleu.high:.1f})"
        )

    n_seeds = len(m[f"{rows[0]}_perplexity"].values)
    return f"Over {n_seeds} seeds, on validation, {', '.join(map(shown, rows))}"


def _large_class(m: Measures) -> str:
    numbers = [
        int(name.split("_")[1]) for name in m if re.fullmatch(r"workers_\d+_per_second", name)
    ]
    few, many = (
        m[f"workers_{number}_per_second"].median for number in (min(numbers), max(numbers))
    )
    return (
        f"With {max(numbers)} workers, {m.class_per_second.median:.1f} submissions of a large "
        f"class are graded in a second, {many / few:.1f} times as many as with {min(numbers)}"
    )


def _report(m: Measures) -> str:
    others = ("report", "student", "dashboard")
    sizes = {
        name.removesuffix("_kilobytes"): m[name].median for name in m if name.endswith("_kilobytes")
    }
    largest = max((page for page in sizes if page not in others), key=lambda page: sizes[page])
    return (
        f"The report of a generated class of {m.students.median:.0f}, with {len(sizes) - 3} "
        f"assignments, has {sizes['report']:.0f} kB and opens in {m.report_load_ms.median:.0f} ms; "
        f"the largest page of an assignment has {sizes[largest]:.0f} kB and opens in "
        f"{m[f'{largest}_load_ms'].median:.0f} ms, a student's {sizes['student']:.0f} kB and "
        f"{m.student_load_ms.median:.0f} ms"
    )


SENTENCES: dict[str, Callable[[Measures], str]] = {
    "sst2_cpu": _sst2,
    "sst2_six_layers": _sst2,
    "published": _published,
    "table3_grammar": _table3,
    "compare_cpu": language_figures.compare,
    "positions": language_figures.positions,
    "induction": language_figures.induction,
    "bench_class": _large_class,
    "bench_encoder": lambda m: (
        "A training step of the encoder runs at "
        f"{m.layers_2_median_speedup_same_work.median:.2f} (two layers) and "
        f"{m.layers_6_median_speedup_same_work.median:.2f} (six) times the speed of "
        "`torch.nn.TransformerEncoder` doing the same work; it takes "
        f"{m.layers_2_step_to_products_ratio.median:.2f} and "
        f"{m.layers_6_step_to_products_ratio.median:.2f} times as long as its matrix products alone"
    ),
    "bench_grading": lambda m: (
        f"A submission is graded in {m.a1_seconds.median:.2f} s (assignment 1) and "
        f"{m.a2_seconds.median:.2f} s (assignment 2). A class, with two jobs, takes "
        f"{m.speedup_over_nbgrader.median:.0f} times less wall time a submission than "
        "`nbgrader autograde` on the same notebooks; one at a time, "
        f"{m.speedup_one_at_a_time.median:.0f} times less"
    ),
    "bench_marking": lambda m: (
        f"A generated class's {m.answers.median:.0f} answers form {m.cards.median:.0f} groups; "
        f"typing the points of all takes {m.minutes.median:.1f} minutes by keyboard, "
        f"{m.marks_per_minute.median:.0f} marks a minute, and the next answer is there after "
        f"{m.card_ms.median:.0f} ms (95% within {m.card_ms_of_95_percent.median:.0f} ms)"
    ),
    "bench_report": _report,
    "multi30k_cpu": _translator,
    "multi30k_test2016": _translated,
    "multi30k_colab": _translator,
    "multi30k_colab_test2016": _translated,
    "multi30k_wide": lambda m: (
        f"{m.validation_bleu.low:.1f} to {m.validation_bleu.high:.1f} BLEU over "
        f"{len(m.validation_bleu.values)} seeds, after {m.wall_minutes.median:.1f} minutes each"
    ),
    "grammar_cpu": lambda m: (
        f"{m.exact_match_percent.low:.1f} to {m.exact_match_percent.high:.1f}% of 1,000 new "
        f"sentences exactly right, and an alignment error rate of {m.alignment_error_rate.low:.2f} "
        f"to {m.alignment_error_rate.high:.2f} from attention alone, over "
        f"{len(m.exact_match_percent.values)} seeds of {m.cpu_minutes.median:.1f} CPU minutes"
    ),
    "bench_decode": lambda m: (
        "Beam search with the cache runs at "
        f"{m.speedup_over_uncached.median:.1f} times the speed of the same search without, and "
        f"{m.speedup_over_ctranslate2.median:.2f} times CTranslate2's, with the same weights; "
        f"{m.identical_to_ctranslate2.median:.0f}% of the translations are those "
        "of CTranslate2, which `Translator` takes as another engine"
    ),
    "bench_train": lambda m: (
        "A training step of the Transformer at base size runs at "
        f"{m.speedup_over_nn_transformer.median:.2f} times the speed of `torch.nn.Transformer` "
        "with the same loss; it takes "
        f"{m.step_to_products_ratio.median:.2f} times as long as its matrix products alone"
    ),
    "bench_memory": lambda m: (
        "With layers that are computed again, rows that are packed and a quarter of the texts at a "
        "time, a training step takes "
        f"{100 * m.packed_recompute_accumulate_peak_mb.median / m.plain_peak_mb.median:.0f}% of "
        f"the memory and {m.packed_recompute_accumulate_time_ratio.median:.2f} times the time; "
        "computing again alone takes "
        f"{100 * m.recompute_peak_mb.median / m.plain_peak_mb.median:.0f}% and "
        f"{m.recompute_time_ratio.median:.2f} times"
    ),
    "bench_profile": lambda m: (
        f"Of a training step, {m.forward_percent.median:.0f}% are the forward pass with the loss, "
        f"{m.backward_percent.median:.0f}% the backward pass and {m.optimizer_percent.median:.0f}% "
        "the optimizer"
    ),
    "bench_study": lambda m: (
        f"Two workers finish {m.workers_2_speedup.median:.1f} times the trials a minute of one; "
        f"beside its training, a trial costs {1000 * m.overhead_seconds_a_trial.median:.0f} ms "
        f"({m.overhead_percent.median:.1f}% of a training of "
        f"{3600 / m.trials_per_hour.median:.0f} s); a loop written with Optuna alone runs the "
        f"same trials at {1 / m.speed_over_plain_optuna.median:.2f} times the speed"
    ),
    "bench_similar": lambda m: (
        f"Of {len(m.accused_independent.values)} pairs of independent correct solutions, "
        f"{m.accused_independent.mean:.3g}% are listed (the closest has "
        f"{m.highest_independent.high:.0f}% in common), of pairs with an untouched starter "
        f"{m.accused_starters.mean:.3g}%; copies are found in {m.found_renamed.mean:.3g}% if "
        f"renamed, {m.found_laid_out_anew.mean:.3g}% with other comments and layout, "
        f"{m.found_reordered.mean:.3g}% reordered, {m.found_padded.mean:.3g}% with useless "
        f"lines, {m.found_all_at_once.mean:.3g}% with all of these, and "
        f"{m.found_half.mean:.3g}% if also only half is copied"
    ),
    "slips": lambda m: (
        f"Of the hundred commonest slips of students, the visible check of a notebook states the "
        f"reason of {m.true.mean:.0f}% and gives advice that leads to it for {m.useful.mean:.0f}%; "
        f"it says nothing helpful for {m.none.mean + m.unseen.mean:.0f}%, and something that is "
        f"not so for {m.false.mean:.0f}%"
    ),
    "bench_trained_class": lambda m: (
        "A class whose translators are run again and scored takes "
        f"{m.seconds_per_submission.median:.1f} s a submission with two jobs, all hidden tests of "
        f"assignment 4 included, and {m.cpu_seconds_per_submission.median:.1f} s of CPU time"
    ),
    "bench_site": lambda m: (
        "The home page, two lectures, the live page and a deck have Lighthouse scores of at least "
        f"{m.lowest('_phone_performance'):.0f} (a slow phone) and "
        f"{m.lowest('_desktop_performance'):.0f} (a desktop) for performance, "
        f"{m.lowest('_accessibility'):.0f} for accessibility, "
        f"{m.lowest('_best_practices'):.0f} for best practices and {m.lowest('_seo'):.0f} for "
        "search engines, of 100"
    ),
}

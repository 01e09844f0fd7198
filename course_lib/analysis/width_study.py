"""BLEU and speed of beam search by width, with confidence intervals."""

import time
from collections.abc import Callable, Sequence

from ..evaluation.translation import paired_bootstrap

Row = dict[str, int | float]


def width_study(
    translate: Callable[[int, float], list[str]],
    references: Sequence[str],
    widths: Sequence[int],
    length_penalties: Sequence[float],
    samples: int = 1000,
) -> list[Row]:
    """A row for every width and length penalty, widths in the outer loop (§6.2).

    `translate(width, length_penalty)` gives one translation per reference. Every row has `width`,
    `length_penalty`, `bleu`, the `difference` in BLEU points to greedy search, `translate(1, 0.0)`,
    its 95 % interval `low` to `high`, by `paired_bootstrap` with `samples`, and
    `sentences_per_second`. The first row is greedy search, with a difference of 0; it is not run
    again. Raises ValueError when 1 is among `widths`.
    """
    if 1 in widths:
        raise ValueError("width 1 is greedy search, which has its own row: leave it out")

    def timed(width: int, length_penalty: float) -> tuple[list[str], float]:
        started = time.perf_counter()
        translations = translate(width, length_penalty)
        return translations, len(translations) / (time.perf_counter() - started)

    def row(width: int, length_penalty: float, translations: list[str], speed: float) -> Row:
        compared = paired_bootstrap(translations, greedy, references, samples)
        low, high = compared.interval
        return {
            "width": width,
            "length_penalty": length_penalty,
            "bleu": compared.first,
            "difference": compared.difference,
            "low": low,
            "high": high,
            "sentences_per_second": speed,
        }

    greedy, speed = timed(1, 0.0)
    rows = [row(1, 0.0, greedy, speed)]
    for width in widths:
        for length_penalty in length_penalties:
            rows.append(row(width, length_penalty, *timed(width, length_penalty)))
    return rows

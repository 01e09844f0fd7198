"""What a wider beam buys and what it costs, with intervals."""

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
    """A row for every width with every length penalty, widths in the outer order (§6.2).

    `translate(width, length_penalty)` gives one translation a reference. Every row holds `width`,
    `length_penalty`, `bleu`, the `difference` in points to greedy search, `translate(1, 0.0)`, with
    `low` and `high`, its 95 % interval by `paired_bootstrap` of `samples`, and
    `sentences_per_second`. Greedy search itself has a row, the first, with a
    difference of 0, and is not run again: leave width 1 out of `widths`.
    Raises ValueError when `widths` holds 1.
    """
    if 1 in widths:
        raise ValueError("width 1 is greedy search, which has its row already: leave it out")

    def timed(width: int, length_penalty: float) -> tuple[list[str], float]:
        started = time.perf_counter()
        made = translate(width, length_penalty)
        return made, len(made) / (time.perf_counter() - started)

    def row(width: int, length_penalty: float, made: list[str], speed: float) -> Row:
        compared = paired_bootstrap(made, greedy, references, samples)
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

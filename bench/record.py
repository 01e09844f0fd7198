"""The shape that benches share: rows of figures, their units, a results file after each seed."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.authoring import results_file

if TYPE_CHECKING:  # it imports much, and the memory of some benches is measured
    from course_lib.data.datasets import LoadedData

Row = dict[str, float]
Rows = Sequence[Mapping[str, float]]
Measures = dict[str, dict[str, Any]]
Log = Callable[[str], None]

UNITS = {  # the first that a measure's name contains
    "bleu": "BLEU",
    "_ms": "ms",
    "percent": "percent",
    "identical": "percent",
    "accuracy": "percent",
    "gain_": "percentage points",
    "_right": "percent",
    "speed": "ratio",
    "ratio": "ratio",
    "gigabytes": "GB",
    "kilobytes": "kB",
    "_mb": "MB",
    "_mib": "MiB",
    "_per_minute": "1/minute",
    "_per_hour": "1/hour",
    "_per_": "1/s",
    "minutes": "min",
    "seconds": "s",
    "loss": "nats",
    "bytes": "B",
    "_kept_": "MiB",
}


def unit(name: str) -> str:
    return next((unit for part, unit in UNITS.items() if part in name), "1")


def of_rows(rows: Rows) -> Measures:
    """A measure of each key, with a value a row; of a speedup also the median."""
    found = of_values({key: [row[key] for row in rows] for key in rows[0]})
    speedups = {key: one["values"] for key, one in found.items() if "speedup" in key}
    medians = {f"median_{key}": [statistics.median(some)] for key, some in speedups.items()}
    return found | of_values(medians)


def of_values(values: Mapping[str, list[float]]) -> Measures:
    return {key: results_file.measure(unit(key), some) for key, some in values.items()}


def origin(data: LoadedData) -> dict[str, str]:
    """The data, as a results file names it."""
    return {"name": data.name, "source": data.origin, "sha256": data.sha256}


def listed(numbers: Sequence[int]) -> str:
    """As an option takes them."""
    return ",".join(map(str, numbers))


def by_seed(
    name: str,
    command: str,
    seeds: Sequence[int],
    measured: Callable[[int], Row],
    about: Mapping[str, str],
    log: Log,
    also: Callable[[], Mapping[str, Any]] = dict,
    resume: bool = False,
) -> Measures:
    """One row `measured(seed)` for each seed; writes `results/NAME.json` after each.

    `command` has `{seeds}` for those that are done; `also` gives fields that are no measures. With
    `resume`, the rows of the first seeds are those of the file, if it has the same data.
    """
    rows = _stored(name, command, seeds, about) if resume else []
    measures = of_rows(rows) if rows else {}
    for done, seed in enumerate(seeds[len(rows) :], start=len(rows) + 1):
        rows.append(measured(seed))
        log(f"seed {seed}: " + ", ".join(f"{key} {value:.4g}" for key, value in rows[-1].items()))
        measures = of_rows(rows)
        written = command.format(seeds=listed(seeds[:done]))
        results_file.write(name, f"course bench {written}", measures, about, also())
    return measures


def _stored(name: str, command: str, seeds: Sequence[int], about: Mapping[str, str]) -> list[Row]:
    """The rows that an earlier run wrote of the first of these seeds."""
    path = results_file.folder() / f"{name}.json"
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for done in range(len(seeds), 0, -1):
        written = command.format(seeds=listed(seeds[:done]))
        if stored and (stored["command"], stored["data"]) == (f"course bench {written}", about):
            values = {key: one["values"] for key, one in stored["measures"].items()}
            return [{key: some[i] for key, some in values.items()} for i in range(done)]
    return []

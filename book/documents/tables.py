"""The tables of documents with measurements, from `results/`."""

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.library.components import BuildError

from . import generated_parts

Rows = list[list[str]]  # the first one is the head
AFTER = {"pretrain": "text", "instruct": "instructions"}
AFTER |= {"prefer": "preferences", "reward": "rewards"}


def filled(text: str, results: Path) -> str:
    """The document with every table filled in. Raises BuildError for a missing one."""

    def table(name: str) -> str:
        if name not in TABLES:
            raise BuildError(f"there is no table {name!r}: add one to TABLES")
        content = generated_parts.results(results, name)
        head, *rows = TABLES[name](content)
        lines = [head, ["---"] * len(head), *rows]
        drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"\n\n{drawn}\n\n(`{content['command']}`, {content['device']})\n\n"

    return generated_parts.filled(text, "table", table)


def _memory(content: dict[str, Any]) -> Rows:
    measures = content["measures"]
    ending = "_step_seconds"
    cases = [name.removesuffix(ending) for name in measures if name.endswith(ending)]
    head = ["switches", "time of a step", "kept for the backward pass", "most memory at once"]
    rows = [head]
    for case in cases:
        seconds, kept, peak = (
            _median(measures[f"{case}_{key}"]) for key in ("step_seconds", "kept_mb", "peak_mb")
        )
        ratio = _median(measures[f"{case}_time_ratio"])
        name = "none" if case == "plain" else case.replace("_", ", ")
        beside = "" if case == "plain" else f" (×\N{NO-BREAK SPACE}{ratio:.2f})"
        time = f"{seconds:.2f} s{beside}"
        rows.append([name, time, f"{kept:.0f} MB", f"{peak:.0f} MB"])
    return rows


def _profile(content: dict[str, Any]) -> Rows:
    measures = content["measures"]
    ending = ".self_percent"
    rows = [["operator", "its own time", "calls a step", "memory that it takes and leaves"]]
    for name in (key.removesuffix(ending) for key in measures if key.endswith(ending)):
        share, calls, memory = (
            _median(measures[f"{name}.{key}"]) for key in ("self_percent", "calls", "memory_mb")
        )
        rows.append([f"`{name}`", f"{share:.1f}%", f"{calls:.0f}", f"{memory:.1f} MB"])
    return rows


def _hardware(content: dict[str, Any]) -> Rows:
    """The measured rows; computed values have ≈ before them."""
    measures, cells = content["measures"], content["cells"]
    columns = {
        "a CPU core": ("cpu_minutes", _time),
        "a Colab T4": ("t4_minutes", _time),
        "an H100": ("h100_minutes", _time),
        "memory, CPU": ("cpu_gigabytes", _gigabytes),
        "memory, GPU": ("gpu_gigabytes", _gigabytes),
    }
    rows = [["profile", *columns]]
    for name in dict.fromkeys(key.partition(".")[0] for key in measures):
        row = [name]
        for key, shown in columns.values():
            about = "" if cells[f"{name}.{key}"].startswith("measured") else "≈"
            row.append(about + shown(_median(measures[f"{name}.{key}"])))
        rows.append(row)
    return rows


def _choices(content: dict[str, Any]) -> Rows:
    """The compared choice first, then the others by their result."""
    measures, ending = content["measures"], ".beam5_bleu"
    reached = {k.removesuffix(ending): m for k, m in measures.items() if k.endswith(ending)}
    stands, *others = reached
    others.sort(key=lambda name: -reached[name]["mean"])
    rows = [["changed", "passes over the corpus", "BLEU, greedy", "BLEU, beam of 5", "difference"]]
    for name in (stands, *others):
        pairs = zip(reached[name]["values"], reached[stands]["values"], strict=True)
        differences = ", ".join(f"{value - base:+.1f}" for value, base in pairs)
        rows.append(
            [
                "nothing" if name == stands else name,
                f"{measures[f'{name}.passes']['mean']:.1f}",
                f"{measures[f'{name}.greedy_bleu']['mean']:.1f}",
                f"{reached[name]['mean']:.1f}",
                "" if name == stands else differences.replace("-", "\N{MINUS SIGN}"),
            ]
        )
    return rows


def _published(content: dict[str, Any]) -> Rows:
    """A row for each number of labels: the mean over the seeds, and its standard deviation."""
    measures, ending = content["measures"], "_labels_accuracy"
    arms = {"frozen": "frozen", "fine_tuned": "fine-tuned", "low_rank": "low-rank adapters"}
    found = [name.removesuffix(ending) for name in measures if name.endswith(ending)]
    counts = sorted({int(name.rpartition("_")[2]) for name in found})

    def shown(name: str) -> str:
        if name not in found:
            return "–"
        return _spread(measures[name + ending])

    rows = [["labels", *arms.values()]]
    return rows + [[f"{n:,}", *(shown(f"{arm}_{n}") for arm in arms)] for n in counts]


def _pretraining(content: dict[str, Any]) -> Rows:
    """A row for each number of labels: both encoders, and the interval of their difference."""
    measures, ending = content["measures"], "_labels_low"
    counts = sorted(int(n[5:].removesuffix(ending)) for n in measures if n.endswith(ending))
    arms = {"pretrained": "filled gaps first", "from_chance": "from random weights"}

    def difference(name: str) -> str:
        return f"{measures[name]['mean']:+.1f}".replace("-", "\N{MINUS SIGN}")

    rows = [["labels", *arms.values(), "difference (95% interval)"]]
    for n in counts:
        gain, low, high = (difference(f"gain_{n}_labels{end}") for end in ("", "_low", "_high"))
        reached = [f"{measures[f'{arm}_{n}_labels_accuracy']['mean']:.1f}%" for arm in arms]
        rows.append([f"{n:,}", *reached, f"{gain} ({low} to {high})"])
    return rows


def _answering(content: dict[str, Any]) -> Rows:
    """A row for each stage: percent of the answers to held-out sums."""
    measures, ending = content["measures"], "_right_and_worked_percent"
    columns = {"an_answer": "an answer", "worked": "shows its work", "right": "right"}
    columns["right_and_worked"] = "right, and shows its work"
    rows = [["after", *columns.values(), "CPU minutes"]]
    for stage in (name.removesuffix(ending) for name in measures if name.endswith(ending)):
        shown = [_spread(measures[f"{stage}_{column}_percent"]) for column in columns]
        rows.append([AFTER[stage], *shown, f"{measures[f'{stage}_cpu_minutes']['mean']:.2f}"])
    return rows


def _serving(content: dict[str, Any]) -> Rows:
    """A row for each number of bits: the size of the weights, and the perplexity."""
    measures = content["measures"]
    bits = [name.split("_")[1] for name in measures if name.endswith("_bytes")]
    rows = [["bits a weight", "MB", "perplexity"]]
    for n in bits:
        found = measures[f"bits_{n}_perplexity"]
        size = f"{measures[f'bits_{n}_bytes']['mean'] / 1e6:.2f}"
        rows.append([n, size, f"{found['mean']:.2f} ± {found['sd']:.2f}"])
    return rows


def _spread(measure: dict[str, Any]) -> str:
    return f"{measure['mean']:.1f}% ± {measure['sd']:.1f}"


def _time(minutes: float) -> str:
    if minutes < 1:
        return f"{60 * minutes:.1f}\N{NO-BREAK SPACE}s"
    if minutes < 120:
        return f"{minutes:.1f} min"  # a phone has no room for it in one line
    return f"{minutes / 60:.1f}\N{NO-BREAK SPACE}h"


def _gigabytes(amount: float) -> str:
    size = f"{amount:.1f} GB" if amount >= 1 else f"{1000 * amount:.0f} MB"
    return size.replace(" ", "\N{NO-BREAK SPACE}")


def _median(measure: dict[str, Any]) -> float:
    return statistics.median(measure["values"])


TABLES: dict[str, Callable[[dict[str, Any]], Rows]] = {
    "bench_memory": _memory,
    "bench_profile": _profile,
    "bench_hardware": _hardware,
    "small_data": _choices,
    "published": _published,
    "pretraining": _pretraining,
    "answering": _answering,
    "serving": _serving,
}

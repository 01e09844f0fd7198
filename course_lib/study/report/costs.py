"""Quality against training time against peak memory; and every configuration with its numbers."""

from __future__ import annotations

from ..findings import COST, MEMORY
from ..intervals import mean_interval
from ..pareto import pareto_front
from ..space import DEFAULT
from ..trial import Row
from .document import Drawing, Section, Table, section
from .figures import tradeoffs
from .material import Material
from .wording import amount, changes, counted, interval, listed, number, percent

COSTS = {COST: "training time (s)", MEMORY: "peak memory (MiB)"}
WORDS = {COST: "training time", MEMORY: "peak memory"}
COLUMNS = {COST: "#train s", MEMORY: "#MiB", "inferences_per_second": "#inferences / s"}


def costs(material: Material) -> Section:
    """The configurations that no other one beats."""
    found, title = material.findings, "Quality, time and memory"
    labels = {cost: label for cost, label in COSTS.items() if cost in found.measures}
    if len(found.eligible) < 2 or not labels:
        text = "It takes two configurations with complete trials and no failed one."
        return section(title, text)
    points = [[line["mean"], *(line[cost] for cost in labels)] for line in found.eligible]
    front = [found.eligible[i] for i in pareto_front(points, [True] + [False] * len(labels))]
    table = Table(
        ["configuration", f"#{material.quality}", *(f"#{label}" for label in labels.values())],
        [
            [changes(line), number(line["mean"]), *(amount(line[c]) for c in labels)]
            for line in front
        ],
        "The Pareto front, the highest quality first; means over seeds",
        _recommended(material, front),
    )
    return section(title, _meaning(material, labels, len(front)), _drawing(material, labels), table)


def _recommended(material: Material, lines: list[Row]) -> list[int]:
    """The places of the recommended configuration among `lines`."""
    found, chosen = material.findings, material.findings.recommended
    return [i for i, n in enumerate(lines) if chosen and found.key(n) == found.key(chosen)]


def _meaning(material: Material, labels: dict[str, str], n_front: int) -> str:
    words = listed([WORDS[cost] for cost in labels])
    text = (
        f"{n_front} of {counted(len(material.findings.eligible), 'configuration')} "
        f"{'is' if n_front == 1 else 'are'} on the Pareto front of quality, {words}: no other one "
        "is at least as good in everything and better in something. "
    )
    if MEMORY not in labels:
        text += "Memory was not measured for every trial and is left out. "
    elif any("process" in str(row.get("memory_of")) for row in material.findings.complete):
        text += (
            "Memory is that of the whole process, Python, torch and data included, so differences "
            "of a few MiB mean nothing. "
        )
    return text + (
        "The front is that of the measured means, so noise puts some on it and keeps others off: "
        "of two whose intervals overlap, the cheaper one is the safer choice."
    )


def _drawing(material: Material, labels: dict[str, str]) -> Drawing:
    found = material.findings
    keys = [found.key(line) for line in found.eligible]
    roles = {"recommended": found.recommended, "default": DEFAULT}
    levels = {role: found.key(row) for role, row in roles.items() if row is not None}
    marked = {role: keys.index(key) for role, key in levels.items() if key in keys}
    halves = [found.noise.half_width(line["n"]) if found.noise else 0.0 for line in found.eligible]
    figure = tradeoffs(found.eligible, labels, material.quality, halves, marked)
    panels = "each panel's dashed line joins" if len(labels) > 1 else "the dashed line joins"
    return Drawing(
        "tradeoffs",
        f"Quality against {listed([WORDS[cost] for cost in labels])}",
        "Each point is a configuration, the mean of its seeds with its 95 % interval; better is "
        f"up and to the left. The star is the recommended one, the diamond the default; {panels} "
        "those with the highest quality for their cost.",
        figure,
    )


def configurations(material: Material) -> Section:
    """Every configuration with its numbers."""
    found, title = material.findings, "All configurations"
    if not found.summary:
        return section(title, "No trial has ended.")
    columns = {key: head for key, head in COLUMNS.items() if key in found.measures}
    names = ["#complete", "#failed", "#pruned", f"#mean {material.quality}", "#95 % interval"]
    kind = "the pooled noise" if found.noise else "its own seeds alone"
    table = Table(
        ["configuration", *names, "#highest in", *columns.values()],
        [_cells(material, line, list(columns)) for line in found.summary],
        "What each configuration changes of the default, and its means over complete trials; "
        f"intervals from {kind}. “Highest in”: the share of repeated studies that would put it "
        "first. The marked line is the recommended one.",
        _recommended(material, found.summary),
    )
    return section(title, table)


def _cells(material: Material, line: Row, measures: list[str]) -> list[str]:
    counts = [str(line["n"]), str(line["failed"] or ""), str(line["pruned"] or "")]
    if not line["n"]:
        return [changes(line), *counts, "—", "—", "", *("—" for _ in measures)]
    noise, chance = material.findings.noise, material.findings.chance_of(line)
    if noise is None:
        _, low, high = mean_interval(line["qualities"])
    else:
        low, high = noise.interval_of_mean(line)
    return [
        changes(line),
        *counts,
        number(line["mean"]),
        interval(low, high),
        "" if chance is None else percent(chance),
        *(amount(line[key]) for key in measures),
    ]

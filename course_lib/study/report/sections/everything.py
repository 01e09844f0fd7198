"""Every configuration with its numbers."""

from __future__ import annotations

from ...findings import COST, MEMORY, Row
from ...intervals import mean_interval
from ..document import Paragraph, Section, Table
from ..material import Material
from ..wording import amount, interval, number, percent

TITLE = "All configurations"


def everything(material: Material) -> Section:
    found = material.findings
    if not found.summary:
        return Section(TITLE, [Paragraph("No trial has ended.")])
    kind = "the pooled noise" if found.noise else "its own seeds alone"
    chosen = found.recommended
    costs = {COST: "#train s", MEMORY: "#MiB", "inferences_per_second": "#inferences / s"}
    costs = {key: head for key, head in costs.items() if key in found.measures}
    chances = dict(zip(map(found.key, found.sound), found.chances, strict=False))
    rows = []
    for line in found.summary:
        chance = chances.get(found.key(line))
        rows.append(
            [
                material.named(line),
                str(line["n"]),
                str(line["failed"] or ""),
                str(line["pruned"] or ""),
                number(line["mean"]) if line["n"] else "—",
                _interval(material, line),
                "" if chance is None else percent(chance),
                *(amount(line[key]) if line["n"] else "—" for key in costs),
            ]
        )
    names = ["#complete", "#failed", "#pruned", f"#mean {material.quality}", "#95 % interval"]
    table = Table(
        ["configuration", *names, "#highest in", *costs.values()],
        rows,
        "What each configuration changes of the default, and its means over complete trials; "
        f"intervals from {kind}. “Highest in”: the share of repeated studies that would put it "
        "first. The marked line is the recommended one.",
        [i for i, n in enumerate(found.summary) if chosen and found.key(n) == found.key(chosen)],
    )
    return Section(TITLE, [table])


def _interval(material: Material, line: Row) -> str:
    noise = material.findings.noise
    if not line["n"]:
        return "—"
    if noise is None:
        _, low, high = mean_interval(line["qualities"])
        return interval(low, high)
    half = noise.half_width(line["n"])
    return interval(line["mean"] - half, line["mean"] + half)

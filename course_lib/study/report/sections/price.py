"""Quality against training time against peak memory: what no other configuration beats."""

from __future__ import annotations

from ...findings import COST, MEMORY, Row
from ...pareto import pareto_front
from ..document import Block, Drawing, Paragraph, Section, Table
from ..figures.tradeoffs import tradeoffs
from ..material import Material
from ..wording import amount, counted, listed, number

TITLE = "Quality, time and memory"
LABELS = {COST: "training time (s)", MEMORY: "peak memory (MiB)"}
WORDS = {COST: "training time", MEMORY: "peak memory"}


def price(material: Material) -> Section:
    found = material.findings
    costs = [cost for cost in LABELS if cost in found.measures]
    if len(found.sound) < 2 or not costs:
        return Section(
            TITLE,
            [Paragraph("It takes two configurations with complete trials and no failed one.")],
        )
    points = [[line["mean"], *(line[cost] for cost in costs)] for line in found.sound]
    front = pareto_front(points, [True] + [False] * len(costs))
    blocks: list[Block] = [
        Paragraph(_meaning(material, costs, len(front))),
        _drawing(material, costs),
        _table(material, costs, [found.sound[i] for i in front]),
    ]
    return Section(TITLE, blocks)


def _meaning(material: Material, costs: list[str], n_front: int) -> str:
    words = listed([WORDS[cost] for cost in costs])
    text = (
        f"{n_front} of {counted(len(material.findings.sound), 'configuration')} "
        f"{'is' if n_front == 1 else 'are'} on the Pareto front of quality, {words}: no other one "
        "is at least as good in everything and better in something. "
    )
    if MEMORY not in costs:
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


def _drawing(material: Material, costs: list[str]) -> Drawing:
    found = material.findings
    keys = [found.key(line) for line in found.sound]
    places = [
        keys.index(found.key(row)) if row is not None and found.key(row) in keys else None
        for row in (found.recommended, found.default)
    ]
    halves = [found.noise.half_width(line["n"]) if found.noise else 0.0 for line in found.sound]
    figure = tradeoffs(
        found.sound, {cost: LABELS[cost] for cost in costs}, material.quality, halves, *places
    )
    panels = "each panel's dashed line joins" if len(costs) > 1 else "the dashed line joins"
    return Drawing(
        "tradeoffs",
        f"Quality against {listed([WORDS[cost] for cost in costs])}",
        "Each point is a configuration, the mean of its seeds with its 95 % interval; better is "
        f"up and to the left. The star is the recommended one, the diamond the default; {panels} "
        "those with the highest quality for their cost.",
        figure,
    )


def _table(material: Material, costs: list[str], front: list[Row]) -> Table:
    found = material.findings
    chosen = found.recommended
    return Table(
        ["configuration", f"#{material.quality}", *(f"#{LABELS[cost]}" for cost in costs)],
        [
            [material.named(line), number(line["mean"]), *(amount(line[c]) for c in costs)]
            for line in front
        ],
        "The Pareto front, the highest quality first; means over seeds",
        [i for i, line in enumerate(front) if chosen and found.key(line) == found.key(chosen)],
    )

"""Interactions, as far as configurations that were drawn at random let one speak of them."""

from __future__ import annotations

from ...findings import ALPHA, Row
from ...interactions import interactions
from ..document import Block, Drawing, Paragraph, Section, Table
from ..figures.forest import forest
from ..material import Material
from ..wording import counted, interval, number, probability, signed

TITLE = "Interactions"


def together(material: Material) -> Section:
    found = material.findings
    several = [line for line in found.measured if _n_changed(material, line) > 1]
    if found.noise is None or found.line_of(found.default) is None or not several:
        text = (
            "Nothing can be said: that takes the noise between seeds, the default, and "
            "configurations that change several of its factors at once."
        )
        return Section(TITLE, [Paragraph(text)])
    rows = interactions(found.summary, found.default, found.factors)
    if not rows:
        text = (
            "No configuration changes several factors whose single effects were all measured, so "
            "there is no sum to compare with."
        )
        return Section(TITLE, [Paragraph(text)])
    blocks: list[Block] = [Paragraph(_meaning()), Paragraph(_verdict(rows))]
    if left := len(several) - len(rows):
        blocks.append(
            Paragraph(
                f"{counted(left, 'configuration')} that "
                f"{'changes' if left == 1 else 'change'} several factors cannot be compared: a "
                "single effect is missing.",
                "note",
            )
        )
    return Section(TITLE, [*blocks, _drawing(material, rows), _table(material, rows)])


def _n_changed(material: Material, line: Row) -> int:
    default = material.findings.default
    return sum(line[factor] != default[factor] for factor in material.findings.factors)


def _meaning() -> str:
    return (
        "One factor at a time says nothing about two changed together. The configurations drawn at "
        "random do: if factors act independently, the quality of such a configuration is the "
        "default's plus the single effects of everything it changes. What is measured beyond that "
        "sum is interaction. It belongs to the whole configuration: which of its factors interact "
        "cannot be told from it, and a few configurations do not speak for all combinations."
    )


def _verdict(rows: list[Row]) -> str:
    sure = [row for row in rows if row["adjusted"] < ALPHA]
    if not sure:
        return (
            f"**No interaction is detected.** None of {counted(len(rows), 'configuration')} "
            "differs from its sum by more than noise (Holm-adjusted p-values, all above 5 %). The "
            "intervals are wide, because every sum carries the noise of several means."
        )
    below = sum(row["difference"] < 0 for row in sure)
    return (
        f"{len(sure)} of {counted(len(rows), 'configuration')} "
        f"{'differs' if len(sure) == 1 else 'differ'} from the sum of single effects "
        f"(Holm-adjusted p below 5 %), {below} of them below it: there the factors do not act "
        "independently."
    )


def _drawing(material: Material, rows: list[Row]) -> Drawing:
    labels = [_wrapped(material.named(row)) for row in rows]
    return Drawing(
        "interactions",
        "Measured quality minus the sum of single effects",
        "Each line is a configuration that changes several factors, with its 95 % interval. At 0 "
        "the single effects add up. Filled and coloured: Holm-adjusted p below 5 %.",
        forest(rows, labels, "measured minus predicted quality (points)", line_height=0.5),
    )


def _wrapped(name: str) -> str:
    parts = name.split(", ")
    half = (len(parts) + 1) // 2
    if len(parts) < 3:
        return name
    return ", ".join(parts[:half]) + ",\n" + ", ".join(parts[half:])


def _table(material: Material, rows: list[Row]) -> Table:
    return Table(
        ["changes", "#measured", "#predicted", "#difference", "#95 % interval", "#p, Holm"],
        [
            [
                material.named(row),
                number(row["mean"]),
                number(row["predicted"]),
                signed(row["difference"]),
                interval(row["low"], row["high"]),
                probability(row["adjusted"]),
            ]
            for row in rows
        ],
        "Configurations that change several factors, against the sum of their single effects",
    )

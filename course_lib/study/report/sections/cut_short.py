"""Pruned trials: accounted for apart, because what they reached is not what full trials reached."""

from __future__ import annotations

from ...findings import Row
from ..document import Block, Paragraph, Section, Table
from ..material import Material
from ..wording import amount, counted, number

TITLE = "Pruned trials"


def cut_short(material: Material) -> Section:
    if not material.pruned:
        text = "None: every trial that ended without an error ran to its last step."
        return Section(TITLE, [Paragraph(text)])
    blocks: list[Block] = [Paragraph(_account(material))]
    if mixed := [line for line in material.findings.measured if line["pruned"]]:
        blocks.append(
            Paragraph(
                f"{counted(len(mixed), 'configuration')} "
                f"{'has' if len(mixed) == 1 else 'have'} complete trials as well as pruned ones. "
                "There the mean is that of the seeds that survived, which is too high: the pruner "
                "ended the worse ones."
            )
        )
    blocks.append(
        Table(
            ["configuration", "#seed", "#stopped at step", f"#{material.quality} then", "#seconds"],
            [_line(material, row) for row in material.pruned],
            "Trials that the pruner ended",
        )
    )
    return Section(TITLE, blocks)


def _account(material: Material) -> str:
    n = len(material.pruned)
    seconds = sum(row["seconds"] or 0.0 for row in material.pruned)
    text = (
        f"{counted(n, 'trial')} {'was' if n == 1 else 'were'} ended early by the pruner "
        f"({material.pruner}), after {amount(seconds)} s in all. Their last quality was measured "
        "after fewer steps, so it enters no mean, no interval, no comparison and no importance of "
        "this report."
    )
    settings = material.settings
    stopped = [row["stopped_at"] for row in material.pruned if row["stopped_at"]]
    if settings is not None and stopped:
        steps = sum(settings.n_steps - step for step in stopped)
        text += f" Ending them saved {steps:,} of their {len(stopped) * settings.n_steps:,} steps."
    return text


def _line(material: Material, row: Row) -> list[str]:
    known = all(factor in row for factor in material.findings.factors)
    return [
        material.named(row) if known else "not known",
        str(row["seed"]),
        str(row["stopped_at"] if row["stopped_at"] is not None else "not known"),
        number(row["quality_then"]),
        amount(row["seconds"]) if row["seconds"] is not None else "not known",
    ]

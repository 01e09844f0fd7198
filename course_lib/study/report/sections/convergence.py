"""Convergence: the validation loss over the steps, a line a configuration."""

from __future__ import annotations

from statistics import fmean

from ...findings import Row
from ..document import Drawing, Paragraph, Section
from ..figures.curves import curves
from ..material import Material
from ..wording import counted, listed

TITLE = "Convergence"
Line = tuple[str, list[int], list[float]]


def convergence(material: Material) -> Section:
    lines = mean_curves(material)
    if not lines:
        return Section(TITLE, [Paragraph("No complete trial has recorded its validation loss.")])
    steps = lines[0][1]
    told = [Paragraph(_warning(material))]
    if len(steps) == 1:
        told.append(Paragraph("Each trial was measured once only, so there is a point, no curve."))
    named = [name for name, _, _ in lines if name]
    description = (
        f"{counted(len(lines), 'line')}, each the mean over the seeds of one configuration, at "
        f"{counted(len(steps), 'evaluation')}. "
        f"{'Highlighted: ' + listed(named) + '.' if named else ''}"
    )
    figure = curves(lines, "validation loss (nats)")
    drawing = Drawing("convergence", "Validation loss by training step", description, figure)
    return Section(TITLE, [*told, drawing])


def mean_curves(material: Material) -> list[Line]:
    """`(name, steps, losses)` a configuration: the mean over its complete trials at each step."""
    found = material.findings
    trials: dict[tuple, list[Row]] = {}
    for row in found.complete:
        if row.get("curve"):
            trials.setdefault(found.key(row), []).append(row)
    lines: list[Line] = []
    for key, mine in trials.items():
        losses: dict[int, list[float]] = {}
        for row in mine:
            for point in row["curve"]:
                losses.setdefault(int(point["step"]), []).append(point["loss"])
        steps = sorted(step for step, values in losses.items() if len(values) == len(mine))
        lines.append((_name(material, key), steps, [fmean(losses[step]) for step in steps]))
    return lines


def _name(material: Material, key: tuple) -> str:
    """What a configuration is highlighted as; "" for most."""
    found = material.findings
    roles = {"recommended": found.recommended, "default": found.default}
    if len(found.measured) > 1:
        roles["lowest quality"] = found.measured[-1]
    return " and ".join(r for r, row in roles.items() if row is not None and found.key(row) == key)


def _warning(material: Material) -> str:
    text = (
        "A curve that still falls at its end says that the budget, not the configuration, limited "
        "the result: a longer training could order them differently."
    )
    if "label_smoothing" in material.findings.factors:
        text += (
            " The loss is measured without smoothing, so training with label smoothing raises it "
            "even where quality is no worse: compare losses only at the same smoothing."
        )
    return text

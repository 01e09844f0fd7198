"""The curves of the complete trials: whether the budget ended them before they had converged."""

from __future__ import annotations

from statistics import fmean

from ..space import DEFAULT
from ..trial import Row
from .document import Drawing, Section, section
from .figures import curves
from .material import Material
from .wording import counted, listed

Curve = tuple[str, list[int], list[float]]  # name, steps, losses
HOW_TO_READ = (
    "A curve that still falls at its end says that the budget, not the configuration, limited the "
    "result: a longer training could order them differently. The loss is measured without "
    "smoothing, so training with label smoothing raises it even where quality is no worse: compare "
    "losses only at the same smoothing."
)


def convergence(material: Material) -> Section:
    """The validation loss over the steps, one line per configuration."""
    lines, title = mean_curves(material), "Convergence"
    if not lines:
        return section(title, "No complete trial has recorded its validation loss.")
    steps = lines[0][1]
    once = "Each trial was measured once only, so there is a point, no curve."
    named = [name for name, _, _ in lines if name]
    drawing = Drawing(
        "convergence",
        "Validation loss by training step",
        f"{counted(len(lines), 'line')}, each the mean over the seeds of one configuration, at "
        f"{counted(len(steps), 'evaluation')}. "
        f"{'Highlighted: ' + listed(named) + '.' if named else ''}",
        curves(lines, "validation loss (nats)"),
    )
    return section(title, HOW_TO_READ, once if len(steps) == 1 else "", drawing)


def mean_curves(material: Material) -> list[Curve]:
    """`(name, steps, losses)` a configuration: the mean over its complete trials at each step."""
    found = material.findings
    trials: dict[tuple, list[Row]] = {}
    for row in found.complete:
        if row.get("curve"):
            trials.setdefault(found.key(row), []).append(row)
    lines: list[Curve] = []
    for key, mine in trials.items():
        losses: dict[int, list[float]] = {}
        for row in mine:
            for point in row["curve"]:
                losses.setdefault(int(point["step"]), []).append(point["loss"])
        steps = sorted(step for step, values in losses.items() if len(values) == len(mine))
        lines.append((_name(material, key), steps, [fmean(losses[step]) for step in steps]))
    return lines


def _name(material: Material, key: tuple) -> str:
    """The name under which a configuration is highlighted; "" for most."""
    found = material.findings
    roles = {"recommended": found.recommended, "default": DEFAULT}
    if len(found.measured) > 1:
        roles["lowest quality"] = found.measured[-1]
    return " and ".join(r for r, row in roles.items() if row is not None and found.key(row) == key)

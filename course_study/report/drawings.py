"""The drawings of a report: what is shown in each, what is to be seen in it, and its SVG."""

import io
import re
from dataclasses import dataclass
from html import escape
from statistics import fmean

import matplotlib
from matplotlib.figure import Figure

from ..findings import COST, MEMORY
from ..space import DEFAULT
from ..trial import Row
from .figures import ROLES, STYLE, curves, forest, tradeoffs
from .material import Material
from .wording import counted, level, listed

Curve = tuple[str, list[int], list[float]]  # name, steps, losses
COSTS = {COST: "training time (s)", MEMORY: "peak memory (MiB)"}
WORDS = {COST: "training time", MEMORY: "peak memory"}


@dataclass(frozen=True)
class Drawing:
    """A figure with its file name, its title, and in words what is to be seen in it."""

    name: str
    title: str
    description: str
    figure: Figure


def drawings(material: Material) -> dict[str, Drawing]:
    """Those that the findings allow, by name."""
    found = (_sensitivity(material), _tradeoffs(material), _convergence(material))
    return {drawing.name: drawing for drawing in found if drawing is not None}


def costs_in_words(costs: list[str]) -> str:
    return listed([WORDS[cost] for cost in costs])


def _sensitivity(material: Material) -> Drawing | None:
    rows = material.findings.effects
    if not rows:
        return None
    labels = [f"{row['factor']} {level(row['level'])}" for row in rows]
    return Drawing(
        "sensitivity",
        "What one change to the default changes",
        "Each line is one comparison with the default and its 95 % interval. Filled and coloured: "
        "Holm-adjusted p below 5 %, blue for better, orange for worse. Hollow and grey: not told "
        "from noise.",
        forest(rows, labels, "quality minus that of the default (points)"),
    )


def _tradeoffs(material: Material) -> Drawing | None:
    found = material.findings
    if len(found.eligible) < 2 or not found.costs:
        return None
    keys = [found.key(line) for line in found.eligible]
    roles = {"recommended": found.recommended, "default": DEFAULT}
    levels = {role: found.key(row) for role, row in roles.items() if row is not None}
    marked = {role: keys.index(key) for role, key in levels.items() if key in keys}
    halves = [found.noise.half_width(line["n"]) if found.noise else 0.0 for line in found.eligible]
    labels = {cost: COSTS[cost] for cost in found.costs}
    panels = "each panel's dashed line joins" if len(labels) > 1 else "the dashed line joins"
    return Drawing(
        "tradeoffs",
        f"Quality against {costs_in_words(found.costs)}",
        "Each point is a configuration, the mean of its seeds with its 95 % interval; better is "
        f"up and to the left. The star is the recommended one, the diamond the default; {panels} "
        "those with the highest quality for their cost.",
        tradeoffs(found.eligible, labels, material.quality, halves, marked),
    )


def _convergence(material: Material) -> Drawing | None:
    """The validation loss over the steps, one line per configuration."""
    lines = mean_curves(material)
    if not lines:
        return None
    named = [name for name, _, _ in lines if name]
    return Drawing(
        "convergence",
        "Validation loss by training step",
        f"{counted(len(lines), 'line')}, each the mean over the seeds of one configuration, at "
        f"{counted(len(lines[0][1]), 'evaluation')}. "
        f"{'Highlighted: ' + listed(named) + '.' if named else ''}",
        curves(lines, "validation loss (nats)"),
    )


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


def standalone(drawing: Drawing) -> str:
    """A file of its own, on white."""
    return _saved(drawing, facecolor="white")


def inlined(drawing: Drawing) -> str:
    """An `<svg>` for an HTML page: transparent, each color the page's variable of its role.

    Its ids begin with the drawing's name, so that one page can have several.
    """
    svg = _saved(drawing, facecolor="none")
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<style.*?</style>", "", svg, flags=re.DOTALL)  # it would style the page
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{drawing.name}-', svg)
    svg = re.sub(r'(href="|url\()#', rf"\g<1>#{drawing.name}-", svg)
    for colour, role in ROLES.items():
        svg = svg.replace(colour, f"var(--{role})")
    words = escape(f"{drawing.title}. {drawing.description}", quote=True)
    head = re.search(r'viewBox="([^"]*)"', svg)
    assert head is not None
    opening = f'<svg viewBox="{head[1]}" role="img" aria-label="{words}">'
    return re.sub(r"<svg[^>]*>", lambda _: opening, svg, count=1)


def _saved(drawing: Drawing, facecolor: str) -> str:
    text = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": drawing.name}):
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        drawing.figure.savefig(text, format="svg", facecolor=facecolor, metadata=nothing)
    return text.getvalue()

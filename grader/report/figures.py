"""The geometry of the dashboard's figures, as data: templates draw it, tests read it.

Each figure also has a `description`, its text alternative.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .item_analysis import Discrimination, Spread
from .plain_text import number

WIDTH = 400.0  # of a drawing, in its own units
ROW = 30.0  # height of one row


def box_plot(spreads: Mapping[str, Spread], most: float) -> dict[str, Any]:
    """A row for each name: a line from lowest to highest, a box between quartiles, the median."""
    top = max([most, *(spread.highest for spread in spreads.values())])
    rows = [
        {
            "name": name,
            "y": index * ROW,
            "line": (_scaled(spread.lowest, top), _scaled(spread.highest, top)),
            "box": (_scaled(spread.lower_quartile, top), _scaled(spread.upper_quartile, top)),
            "median": _scaled(spread.median, top),
        }
        for index, (name, spread) in enumerate(spreads.items())
    ]
    ticks = [(value, _scaled(value, top)) for value in range(0, int(top) + 1, 20)]
    texts = [
        f"{name}: median {number(spread.median)}, half of the class between "
        f"{number(spread.lower_quartile)} and {number(spread.upper_quartile)}"
        for name, spread in spreads.items()
    ]
    height = ROW * len(rows)
    return {"rows": rows, "ticks": ticks, "height": height, "description": "; ".join(texts)}


def whisker(found: Discrimination) -> dict[str, float]:
    """A correlation from −1 to 1 on a line 100 long: the value and its interval."""
    ends = (("x", found.value), ("low", found.low), ("high", found.high))
    return {name: round(50 + 50 * value, 2) for name, value in ends}


def stack(counts: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """One bar 100 long, divided by these counts; names without any are left out."""
    whole = sum(count for _, count in counts)
    segments, start = [], 0.0
    for index, (name, count) in enumerate(counts):
        if count:
            width = 100 * count / whole
            shown = {"x": round(start, 2), "width": round(width, 2), "step": index}
            segments.append({"name": name, "count": count, **shown})
            start += width
    description = ", ".join(f"{name}: {count}" for name, count in counts if count)
    return {"segments": segments, "description": description or "none"}


def columns(shares: Mapping[str, float]) -> list[dict[str, Any]]:
    """A small column for each share of the points: 10 wide, at most 20 high."""
    return [
        {"x": 12 * index, "y": round(20 * (1 - min(share, 1)), 2), "height": round(20 * share, 2)}
        for index, share in enumerate(shares.values())
    ]


def _scaled(value: float, top: float) -> float:
    return round(WIDTH * value / top, 2) if top else 0.0

"""Which keys and values each query head reads: one each, one for a group, one for all."""

import torch

from ..drawing import Drawing
from ..sheet import Sheet

N_HEADS = 6
ROLES = ("blue", "orange", "green", "purple")
PANELS = {6: "one for each head", 2: "two groups", 1: "one for all"}
BOX, STEP, WIDTH = 28, 36, 246


def read_by(n_groups: int) -> list[int]:
    """The group of each head: as `repeat_interleave` lays out keys for grouped queries."""
    return torch.arange(n_groups).repeat_interleave(N_HEADS // n_groups).tolist()


def grouped_queries() -> Drawing:
    """Three panels: query heads above, the heads that have keys and values below."""
    found = {n_groups: read_by(n_groups) for n_groups in PANELS}
    sheet = Sheet(760, 250)
    for panel, (n_groups, title) in enumerate(PANELS.items()):
        left = 22 + panel * WIDTH
        middle = left + (N_HEADS * STEP - STEP + BOX) / 2
        sheet.text(middle, 34, title, bold=True)
        groups = found[n_groups]
        for head, group in enumerate(groups):
            x, role = left + head * STEP, ROLES[group % len(ROLES)]
            sheet.box(x, 62, BOX, 34, role, "q", size=12)
            own = [other for other, its in enumerate(groups) if its == group]
            below = left + sum(own) / len(own) * STEP
            sheet.line((x + BOX / 2, 96), (below + BOX / 2, 148))
            if head == own[0]:
                sheet.box(below, 148, BOX, 34, role, "k", size=12)
                sheet.box(below, 182, BOX, 34, role, "v", size=12)
        sheet.text(middle, 238, f"cache: {n_groups} of {N_HEADS}", size=13, role="quiet")
    return sheet.drawing(
        "grouped_queries",
        "Heads that share keys and values",
        "Three panels with six query heads each. Left, every head has keys and values of its "
        "own. Middle, three neighboring heads share one pair, so there are two. Right, all six "
        "heads share one. The cache shrinks to two sixths and to one sixth.",
        found,
    )

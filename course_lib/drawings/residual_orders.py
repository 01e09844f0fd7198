"""Post-norm and pre-norm: where the norm is, and what goes around the sub-layer."""

import torch
from torch import Tensor, nn

from ..residual import ResidualConnection
from .drawing import Drawing
from .sheet import Sheet

LABELS = {"sublayer": "sub-layer", "dropout": "dropout", "norm": "LayerNorm"}
ROLES = {"sublayer": "blue", "dropout": "grey", "norm": "orange"}
BOX, GAP, RADIUS = 108, 34, 11


def order(norm_first: bool) -> tuple[str, ...]:
    """The order in which the parts of the library's module run.

    "add" marks where the next part gets x plus what the last one returned.
    """
    module = ResidualConnection(4, dropout=0.0, norm_first=norm_first)
    sublayer = nn.Linear(4, 4)
    ran: list[tuple[str, Tensor, Tensor]] = []
    parts = {"sublayer": sublayer, "dropout": module.dropout, "norm": module.norm}
    for name, part in parts.items():
        part.register_forward_hook(
            lambda _, given, made, name=name: ran.append((name, given[0], made))
        )
    x = torch.arange(4.0).view(1, 1, 4)
    output = module.leave(x, sublayer(module.enter(x)))
    names = []
    received = [*(given for _, given, _ in ran[1:]), output]
    for (name, _, made), following in zip(ran, received, strict=True):
        names.append(name)
        if torch.equal(following, x + made):
            names.append("add")
    return tuple(names)


def residual_orders() -> Drawing:
    """Both orders, one row each; the path around goes from the input to the sum."""
    post_norm, pre_norm = found = order(norm_first=False), order(norm_first=True)
    sheet = Sheet(680, 316)
    _row(sheet, 28, "Post-norm: the paper", post_norm)
    _row(sheet, 176, "Pre-norm: many later models", pre_norm)
    return sheet.drawing(
        "residual_orders",
        "Post-norm and pre-norm",
        "Two ways through a residual connection. Post-norm: x goes through the sub-layer and "
        "dropout, is added to x, and the sum goes through LayerNorm. Pre-norm: x goes through "
        "LayerNorm, the sub-layer and dropout, and is added to x; no norm follows the sum.",
        found,
    )


def _row(sheet: Sheet, top: float, title: str, parts: tuple[str, ...]) -> None:
    sheet.text(24, top + 8, title, size=16, anchor="start", bold=True)
    middle, x = top + 92, 92.0
    sheet.text(46, middle + 5, "x", size=16, bold=True)
    sheet.line((60, middle), (x, middle))
    branch = 76
    for part in parts:
        if part == "add":
            sheet.arrow((x, middle), (x + GAP, middle))
            x += GAP + RADIUS
            over = middle - 50
            sheet.arrow(
                (branch, middle),
                (branch, over),
                (x, over),
                (x, middle - RADIUS),
                role="way",
                head="tip",
            )
            sheet.plus(x, middle, RADIUS)
            sheet.text((branch + x) / 2, over - 6, "x, unchanged", size=12, role="quiet")
            x += RADIUS
        else:
            gap = 12 if part == parts[0] else GAP
            sheet.arrow((x, middle), (x + gap, middle))
            sheet.box(x + gap, middle - 21, BOX, 42, ROLES[part], LABELS[part])
            x += gap + BOX
    sheet.arrow((x, middle), (x + GAP, middle))
    sheet.text(x + GAP + 8, middle + 5, "output", anchor="start", bold=True)

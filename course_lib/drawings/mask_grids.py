"""Masks as grids: padding, causal, and what both allow."""

import torch

from ..masks import causal_mask, padding_mask, target_mask
from .drawing import Drawing
from .sheet import Sheet

WORDS = ("the", "cat", "ate", "PAD", "PAD")
TOKEN_IDS = (5, 6, 7, 0, 0)
CELL, TOP = 34, 78
Grid = list[list[bool]]


def masks() -> dict[str, Grid]:
    """The library's masks of three words and two padding tokens, in rows of queries."""
    ids = torch.tensor([TOKEN_IDS])
    n = len(TOKEN_IDS)
    found = {"padding": padding_mask(ids), "causal": causal_mask(n), "both": target_mask(ids)}
    return {name: mask.expand(1, 1, n, n)[0, 0].tolist() for name, mask in found.items()}


def mask_grids() -> Drawing:
    """Three grids of queries by keys; a filled square is a pair that may attend."""
    found = masks()
    n = len(WORDS)
    sheet = Sheet(750, 308)
    for number, (name, grid) in enumerate(found.items()):
        left = 66 + number * 242
        sheet.text(left + n * CELL / 2, 34, name, size=16, bold=True)
        for i, word in enumerate(WORDS):
            sheet.text(left + (i + 0.5) * CELL, TOP - 8, word, size=12)
            sheet.text(left - 8, TOP + (i + 0.62) * CELL, word, size=12, anchor="end")
        roles = [["open" if allowed else "grey" for allowed in row] for row in grid]
        sheet.grid(left, TOP, (CELL, CELL), roles)
    below = TOP + n * CELL + 30
    sheet.box(66, below, 20, 16, "open")
    sheet.text(94, below + 13, "True: may attend", size=13, anchor="start")
    sheet.box(230, below, 20, 16, "grey")
    sheet.text(258, below + 13, "False", size=13, anchor="start")
    sheet.text(550, below + 13, "rows are queries, columns are keys", size=13, role="quiet")
    return sheet.drawing(
        "mask_grids",
        "Masks as grids",
        "Three grids for the words the, cat, ate and two padding tokens; rows are queries, columns "
        "are keys. The padding mask allows the first three columns in every row. The causal mask "
        "allows each row its own column and those to its left. The third grid allows the pairs "
        "that both allow.",
        found,
    )

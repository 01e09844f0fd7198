"""Padding: the same sentences in batches as they come, and in batches of similar length."""

import numpy as np

from ...data.batching import by_length, pad, padding_waste
from ..drawing import Drawing
from ..sheet import Sheet

LENGTHS = (4, 11, 6, 2, 9, 3, 12, 5, 10, 3, 7, 8)
PER_BATCH, CELL, HIGH = 3, 24, 17


def batches(order: np.ndarray) -> tuple[list[list[int]], float]:
    """The lengths in batches of this order, and their share of padding."""
    lengths = np.array(LENGTHS)[order].reshape(-1, PER_BATCH).tolist()
    padded = [pad([[1] * n for n in batch]) for batch in lengths]
    return lengths, padding_waste(padded)


def padding() -> Drawing:
    """Two panels of rows; grey is padding."""
    found = (batches(np.arange(len(LENGTHS))), batches(by_length(np.array(LENGTHS)[:, None])))
    sheet = Sheet(760, 340)
    names = ("as they come", "by length")
    for left, name, (made, waste) in zip((24, 404), names, found, strict=True):
        y = 52.0
        sheet.text(left, 32, f"{name}: {waste:.0%} padding", anchor="start", bold=True)
        for batch in made:
            longest = max(batch)
            roles = [["blue"] * n + ["grey"] * (longest - n) for n in batch]
            sheet.grid(left, y, (CELL, HIGH), roles)
            y += PER_BATCH * HIGH + 14
    sheet.box(24, 314, 20, 15, "blue")
    sheet.text(52, 326, "a token", size=13, anchor="start")
    sheet.box(134, 314, 20, 15, "grey")
    sheet.text(162, 326, "padding: computed, and thrown away", size=13, anchor="start")
    return sheet.drawing(
        "padding",
        "Padding, and batches by length",
        f"Twelve sentences in four batches of {PER_BATCH}, each as wide as its longest sentence. "
        f"As they come, {found[0][1]:.0%} of all positions are padding; with sentences of "
        f"similar length in a batch, {found[1][1]:.0%}.",
        found,
    )

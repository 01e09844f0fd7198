"""A picture as tokens: cut into patches, each of which becomes one vector."""

import torch
from torch.nn import functional as F

from ..drawing import Drawing
from ..sheet import Sheet

SIDE, PATCH, CELL, GAP = 12, 3, 16, 8


def patches_of(side: int, patch: int) -> tuple[list[list[float]], list[list[float]]]:
    """A disc of `side` × `side` pixels, and its patches in rows, as torch's `unfold` cuts them."""
    place = torch.arange(side) - (side - 1) / 2
    disc = ((place[:, None] ** 2 + place**2) < (0.42 * side) ** 2).float()
    cut = F.unfold(disc[None, None], kernel_size=patch, stride=patch)[0].T
    return disc.tolist(), cut.tolist()


def patches() -> Drawing:
    """The cut picture, then its patches in a row, a class vector in front."""
    _, tokens = found = patches_of(SIDE, PATCH)
    n = len(tokens)
    sheet = Sheet(760, 320)
    for number, token in enumerate(tokens):
        row, column = divmod(number, SIDE // PATCH)
        left, top = (start + at * (PATCH * CELL + GAP) for start, at in ((24, column), (52, row)))
        for x, y, cell in ((left, top, CELL), (340 + 24 * number, 118, 7)):
            roles = [["purple" if pixel else "grey" for pixel in token[i : i + PATCH]]
                     for i in range(0, PATCH**2, PATCH)]  # fmt: skip
            sheet.grid(x, y, (cell, cell), roles)
    sheet.text(132, 30, f"{SIDE} × {SIDE} pixels, {n} patches", bold=True)
    sheet.arrow((256, 128), (288, 128))
    sheet.grid(312, 118, (21, 21), [["orange"]])
    sheet.text(306, 104, "class", size=13)
    sheet.text(530, 84, f"{n} tokens of {PATCH**2} numbers, in reading order", bold=True)
    sheet.arrow((520, 146), (520, 168))
    sheet.box(312, 170, 412, 38, "blue", "one linear layer, plus a learned position for each place")
    sheet.arrow((520, 208), (520, 230))
    sheet.box(312, 232, 412, 38, "green", "the encoder, as for words")
    sheet.text(
        520, 298, f"{(n + 1) ** 2} pairs with patches, {SIDE**4:,} with pixels", role="quiet"
    )
    return sheet.drawing(
        "patches",
        "A picture as a row of patches",
        f"A disc on {SIDE} by {SIDE} pixels is cut into {n} patches. They form a row behind a "
        "class token. A linear layer makes a vector of each, learned positions are added, and the "
        "encoder reads them as it reads words.",
        found,
    )

"""A picture as tokens: cut into patches, each of which becomes one vector."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional as F

from ..drawing import Drawing
from ..sheet import Sheet

SIDE, PATCH, CELL, GAP = 12, 3, 16, 8


@dataclass(frozen=True)
class Patches:
    """The pixels of a picture, 0 or 1, and of each patch the pixels in one row."""

    pixels: list[list[float]]
    tokens: list[list[float]]


def patches_of(side: int, patch: int) -> Patches:
    """A disc of `side` × `side` pixels, cut by torch's own `unfold`."""
    place = torch.arange(side) - (side - 1) / 2
    disc = ((place[:, None] ** 2 + place**2) < (0.42 * side) ** 2).float()
    cut = F.unfold(disc[None, None], kernel_size=patch, stride=patch)[0].T
    return Patches(disc.tolist(), cut.tolist())


def patches() -> Drawing:
    """The cut picture, then its patches in a row, a class vector in front."""
    found = patches_of(SIDE, PATCH)
    n, per_row = len(found.tokens), SIDE // PATCH
    sheet = Sheet(760, 320)
    for number, token in enumerate(found.tokens):
        row, column = divmod(number, per_row)
        left = 24 + column * (PATCH * CELL + GAP)
        top = 52 + row * (PATCH * CELL + GAP)
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
    sheet.text(520, 298, f"{(n + 1) ** 2} pairs with patches, {SIDE**4:,} with pixels", size=13,
               role="quiet")  # fmt: skip
    return sheet.drawing(
        "patches",
        "A picture as a row of patches",
        f"A disc on {SIDE} by {SIDE} pixels is cut into {n} patches. They form a row behind a "
        "class token. A linear layer makes a vector of each, learned positions are added, and the "
        "encoder reads them as it reads words.",
        found,
    )

"""Heads split and merged: which features of which token go where."""

from dataclasses import dataclass

import torch

from ..attention import merge_heads, split_heads
from .drawing import Drawing
from .sheet import Sheet

N_TOKENS, D_MODEL, N_HEADS = 3, 8, 4
CELL = 27
ROLES = ("blue", "orange", "green", "purple")


@dataclass(frozen=True)
class Split:
    """Numbered features before the split, in each head, and merged again; and their shapes."""

    whole: list[list[int]]
    heads: list[list[list[int]]]
    merged: list[list[int]]
    whole_shape: tuple[int, ...]
    heads_shape: tuple[int, ...]


def split() -> Split:
    """One example of numbered features, split and merged by the library."""
    x = torch.arange(N_TOKENS * D_MODEL).view(1, N_TOKENS, D_MODEL).float()
    heads = split_heads(x, N_HEADS)
    merged = merge_heads(heads)
    return Split(
        x[0].int().tolist(),
        heads[0].int().tolist(),
        merged[0].int().tolist(),
        tuple(x.shape),
        tuple(heads.shape),
    )


def heads_split_and_merged() -> Drawing:
    """A matrix of tokens on the left, a smaller matrix for each head on the right."""
    found = split()
    sheet = Sheet(740, 262)
    width = D_MODEL // N_HEADS
    left, top = 86, 96
    for token in range(N_TOKENS):
        sheet.text(
            78, top + (token + 0.66) * CELL, f"token {token}", size=13, anchor="end", role="quiet"
        )
    roles = [[ROLES[feature // width] for feature in range(D_MODEL)]] * N_TOKENS
    sheet.grid(left, top, (CELL, CELL), roles, _texts(found.whole))
    sheet.text(left + D_MODEL * CELL / 2, 34, "all features of a token", bold=True)
    sheet.text(left + D_MODEL * CELL / 2, 54, "(batch, n, d_{model})", size=13, role="quiet")
    sheet.text(left + D_MODEL * CELL / 2, 202, str(found.whole_shape), size=13)
    sheet.arrow((324, 118), (424, 118))
    sheet.text(372, 108, "split_heads", size=13)
    sheet.arrow((420, 152), (320, 152))
    sheet.text(372, 172, "merge_heads", size=13)
    for head, rows in enumerate(found.heads):
        x = 440 + head * (width * CELL + 18)
        sheet.text(x + width * CELL / 2, top - 8, f"head {head}", size=13)
        sheet.grid(x, top, (CELL, CELL), [[ROLES[head]] * width] * N_TOKENS, _texts(rows))
    middle = 440 + (N_HEADS * (width * CELL + 18) - 18) / 2
    sheet.text(middle, 34, "one matrix for each head", bold=True)
    sheet.text(middle, 54, "(batch, n_{heads}, n, d_{k})", size=13, role="quiet")
    sheet.text(middle, 202, str(found.heads_shape), size=13)
    sheet.text(
        370,
        240,
        "Numbers and tokens keep their order: only the grouping changes.",
        size=13,
        role="quiet",
    )
    return sheet.drawing(
        "split_heads",
        "Heads split and merged",
        f"{N_TOKENS} tokens of {D_MODEL} numbered features, the shape {found.whole_shape}, are "
        f"split into {N_HEADS} heads, the shape {found.heads_shape}: each head has {width} "
        "neighboring features of every token. Merging puts them back.",
        found,
    )


def _texts(rows: list[list[int]]) -> list[list[str]]:
    return [[str(number) for number in row] for row in rows]

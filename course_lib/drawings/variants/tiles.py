"""FlashAttention's tiles: the table of scores is walked through in blocks and never stored."""

import torch

from ..drawing import Drawing
from ..sheet import Sheet

N, D, BLOCK, DONE, CELL = 8, 2, 2, 2, 24
LEFT, TOP = 110, 112


def one_pass() -> tuple[int, float]:
    """Attention over blocks of keys: how many numbers it keeps, and its distance from the table."""
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(N, D, generator=generator) for _ in range(3))
    largest, total = torch.full((N, 1), -torch.inf), torch.zeros(N, 1)
    output = torch.zeros(N, D)
    for keys, values in zip(key.split(BLOCK), value.split(BLOCK), strict=True):
        scores = query @ keys.T
        higher = torch.maximum(largest, scores.amax(1, keepdim=True))
        shrink, weights = (largest - higher).exp(), (scores - higher).exp()
        total = shrink * total + weights.sum(1, keepdim=True)
        output = shrink * output + weights @ values
        largest = higher
    wanted = (query @ key.T).softmax(-1) @ value
    kept = sum(one.numel() for one in (largest, total, output))
    return kept, (output / total - wanted).abs().max().item()


def tiles() -> Drawing:
    """Queries left, keys above, the table between; right, what fast memory holds."""
    found = one_pass()
    sheet = Sheet(760, 350)
    sheet.text(LEFT - 46, TOP - 12, "queries", size=13)
    sheet.grid(LEFT - 70, TOP, (CELL, CELL), [["blue"] * D] * N)
    colors = ["grey"] * (DONE * BLOCK) + ["orange"] * BLOCK
    colors += ["plain"] * (N - len(colors))
    sheet.text(LEFT + N * CELL / 2, 28, "keys and values, in blocks of 2", size=13)
    sheet.grid(LEFT, 42, (CELL, CELL), [colors] * D)
    sheet.grid(LEFT, TOP, (CELL, CELL), [colors] * N)
    below = TOP + N * CELL + 22
    for block, said in ((0.5, "done"), (2, "now"), (3.1, "to come")):
        sheet.text(LEFT + (block + 0.5) * BLOCK * CELL, below, said, size=13, role="quiet")
    sheet.arrow((LEFT + N * CELL + 12, 160), (430, 160), role="way", head="tip")
    sheet.box(434, 48, 300, 224, "grey")
    sheet.text(584, 76, "fast memory", size=16, bold=True)
    sheet.box(454, 92, 260, 40, "orange", "one block of keys and values")
    sheet.box(454, 140, 260, 40, "orange", f"its {N} × {BLOCK} scores")
    sheet.box(454, 188, 260, 64, "green", "m, ℓ and o of each query:", f"{found[0]} numbers")
    said = f"The table of {N * N} scores is never stored; the result is exact."
    sheet.text(734, 314, said, anchor="end", size=13)
    return sheet.drawing(
        "tiles",
        "FlashAttention’s tiles",
        f"A table of {N} queries and {N} keys, cut into blocks of {BLOCK} columns: two blocks are "
        "done, one is being computed, one is to come. Fast memory holds one block of keys and "
        f"values, its scores, and {found[0]} running numbers, never the {N * N} of the "
        "table.",
        found,
    )

"""A low-rank adapter: a large matrix that stays, plus a product of two thin ones that learn."""

import torch

from ..drawing import Drawing
from ..sheet import Sheet

D, RANK, CELL = 8, 2, 18


def update() -> tuple[int, int, int]:
    """How many numbers of a square matrix stay, how many learn, and the rank of the change."""
    torch.manual_seed(0)
    b, a = torch.randn(D, RANK), torch.randn(RANK, D)
    return D * D, a.numel() + b.numel(), int(torch.linalg.matrix_rank(b @ a))


def low_rank() -> Drawing:
    """W, then B and A, as grids of cells of one size."""
    frozen, trained, rank = found = update()
    sheet = Sheet(640, 260)
    side, top = D * CELL, 62.0
    middle = top + side / 2
    sheet.grid(60, top, (CELL, CELL), [["grey"] * D] * D)
    sheet.text(60 + side / 2, 44, "W stays", bold=True)
    sheet.text(60 + side / 2, top + side + 24, f"{frozen} numbers", size=13, role="quiet")
    sheet.text(238, middle + 6, "+", size=22)
    sheet.grid(278, top, (CELL, CELL), [["orange"] * RANK] * D)
    sheet.text(278 + RANK * CELL / 2, 44, "B learns", bold=True)
    sheet.text(346, middle + 6, "·", size=22)
    sheet.grid(378, middle - CELL, (CELL, CELL), [["orange"] * D] * RANK)
    sheet.text(378 + side / 2, middle - CELL - 12, "A learns", bold=True)
    sheet.text(400, top + side + 24, f"{trained} numbers, rank {rank}", size=13, role="quiet")
    return sheet.drawing(
        "low_rank",
        "A low-rank adapter",
        f"A grey square of {D} by {D} cells, the matrix W, which stays. To it is added the product "
        f"of B, {D} rows of {RANK} cells, and A, {RANK} rows of {D} cells, which learn: "
        f"{trained} numbers for {frozen}.",
        found,
    )

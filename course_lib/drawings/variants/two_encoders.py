"""Pictures and captions in one space: two encoders, and a table of similarities between them."""

import torch

from ..drawing import Drawing
from ..sheet import Sheet

CAPTIONS = ("a dog", "a boat", "a tree")
PICTURES = ((0.9, 0.1, 0.3), (0.1, 1.0, 0.1), (0.2, 0.2, 0.9))  # vectors of the three pictures
TEMPERATURE, CELL, LEFT, TOP = 0.25, 70, 400, 96


def weights() -> list[list[float]]:
    """The softmax of each row of similarities to captions that are one-hot vectors."""
    vectors = torch.nn.functional.normalize(torch.tensor(PICTURES), dim=-1)
    return (vectors @ torch.eye(3) / TEMPERATURE).softmax(-1).tolist()


def two_encoders() -> Drawing:
    """Pictures from the left, captions from above, and the right pairs on the diagonal."""
    found = weights()
    sheet = Sheet(760, 342)
    sheet.box(150, TOP + 20, 150, 170, "blue", "picture", "encoder")
    sheet.box(400, 24, 210, 40, "orange", "caption encoder")
    for row, caption in enumerate(CAPTIONS):
        y, x = TOP + (row + 0.5) * CELL, LEFT + (row + 0.5) * CELL
        sheet.box(24, y - 18, 100, 36, "grey", f"picture {row + 1}", size=13)
        sheet.arrow((124, y), (150, y))
        sheet.arrow((300, y), (LEFT - 4, y))
        sheet.arrow((x, 64), (x, TOP - 4))
        sheet.text(LEFT + (row + 0.5) * CELL, TOP + 3 * CELL + 22, caption, size=13, role="quiet")
    sheet.grid(LEFT, TOP, (CELL, CELL),
               [["green" if i == j else "plain" for j in range(3)] for i in range(3)],
               [[f"{weight:.2f}" for weight in row] for row in found])  # fmt: skip
    sheet.text(626, 190, "each row: which", anchor="start", size=13)
    sheet.text(626, 208, "caption is mine?", anchor="start", size=13)
    return sheet.drawing(
        "two_encoders",
        "Two encoders, one table",
        "Three pictures go through one encoder, three captions through another. A table has the "
        "softmax of their similarities in each row. Training makes the diagonal large, where a "
        "picture meets its own caption.",
        found,
    )

"""Scaled dot-product attention as matrices (Figure 2, left): one query's row all the way."""

from dataclasses import dataclass

import numpy as np

from ..numpy_forms.attention import attention, project_qkv, scaled_scores
from .drawing import Drawing
from .sheet import Sheet

TOKENS = ("the", "cat", "ate", "a", "mouse")
INPUT = np.array([[1, 0, 0], [0, 2, 1], [0, 0, 2], [1, 0, 0], [0, 2, 0]], dtype=float)
W_Q = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
W_K = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]], dtype=float)
W_V = np.array([[1, 0], [0, 1], [1, 1]], dtype=float)
CELL, WIDE, TOP = 24, 32, 78  # WIDE: the width of a cell of the output
STEP, APART = 30, 42  # between products and weights: the height of a step, from one to the next
Matrix = list[list[float]]


@dataclass(frozen=True)
class Steps:
    """The matrices of assignment 1's worked example, from the projections to the output."""

    query: Matrix
    key: Matrix
    value: Matrix
    products: Matrix
    weights: Matrix
    output: Matrix


def steps() -> Steps:
    """The worked example, computed by the library."""
    query, key, value = project_qkv(INPUT, W_Q, W_K, W_V)
    products = scaled_scores(query, key) * np.sqrt(key.shape[-1])
    output, weights = attention(query, key, value)
    arrays = (query, key, value, products, weights, output)
    return Steps(*(array.tolist() for array in arrays))


def scaled_dot_product() -> Drawing:
    """Q, K and V become weights and output; the row of the first token is filled in."""
    found = steps()
    sheet = Sheet(824, 262)
    for row, token in enumerate(TOKENS):
        sheet.text(52, TOP + (row + 0.68) * CELL, token, size=13, anchor="end", role="quiet")
    x = _matrix(sheet, 60, found.query, "Q", "n_{q} × d_{k}", "blue", every=False)
    x = _sign(sheet, x, "·")
    transposed = [list(column) for column in zip(*found.key, strict=True)]
    x = _matrix(sheet, x, transposed, "Kᵀ", "d_{k} × n_{k}", "orange")
    x = _sign(sheet, x, "=")
    x = _matrix(sheet, x, found.products, "QKᵀ", "n_{q} × n_{k}", "grey", every=False)
    _between(sheet, x)
    x = _matrix(sheet, x + 106, found.weights, "weights", "n_{q} × n_{k}", "green", every=False)
    sheet.text(x - 2.5 * CELL, TOP + 5 * CELL + 40, "each row sums to 1", size=13, role="quiet")
    x = _sign(sheet, x, "·")
    x = _matrix(sheet, x, found.value, "V", "n_{k} × d_{v}", "purple")
    x = _sign(sheet, x, "=")
    _matrix(sheet, x, found.output, "output", "n_{q} × d_{v}", "grey", every=False, cell=WIDE)
    sheet.text(24, 30, "One query, “the”, all the way through", size=16, anchor="start", bold=True)
    return sheet.drawing(
        "scaled_dot_product",
        "Scaled dot-product attention",
        "Queries times transposed keys give one product for each pair of query and key. They are "
        "divided by the root of d_k, masked where a mask says so, and turned by a softmax into "
        "weights whose rows sum to 1. The weights times the values give the output. The numbers "
        "of the row of “the” are those of the worked example.",
        found,
    )


def _matrix(
    sheet: Sheet,
    x: float,
    rows: Matrix,
    name: str,
    shape: str,
    role: str,
    every: bool = True,
    cell: int = CELL,
) -> float:
    """A grid from `x`, with the numbers of its first row or of all; returns its right edge."""
    width = len(rows[0]) * cell
    top = TOP + (5 - len(rows)) * CELL / 2
    shown = rows if every else rows[:1]
    hidden = [["plain"] * len(row) for row in rows[len(shown) :]]
    roles = [[role] * len(row) for row in shown] + hidden
    texts = [[_short(number) for number in row] for row in shown]
    sheet.grid(x, top, (cell, CELL), roles, texts)
    below = TOP + 5 * CELL
    sheet.text(x + width / 2, top - 10, name, bold=True)
    sheet.text(x + width / 2, below + 20, shape, size=13, role="quiet")
    return x + width


def _short(number: float) -> str:
    """An integer as it is, a fraction with two digits and, below 1, without its zero."""
    if number == round(number):
        return f"{number:.0f}"
    return f"{number:.2f}".removeprefix("0")


def _sign(sheet: Sheet, x: float, sign: str) -> float:
    sheet.text(x + 11, TOP + 2.5 * CELL + 6, sign, size=18)
    return x + 22


def _between(sheet: Sheet, x: float) -> None:
    """The steps from a row of products to a row of weights."""
    top = TOP + 3
    left, middle = x + 20, x + 53
    for number, step in enumerate(("÷ √d_{k}", "mask", "softmax")):
        y = top + number * APART
        sheet.box(left, y, 66, STEP, "plain", step, size=13)
        if number:
            sheet.arrow((middle, y - APART + STEP), (middle, y))
    sheet.arrow((x + 2, top + STEP / 2), (left, top + STEP / 2))
    last = top + 2 * APART + STEP / 2
    sheet.arrow((left + 66, last), (x + 104, last))

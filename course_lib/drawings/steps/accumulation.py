"""Accumulation: the gradients of a batch's parts, and their sum weighted by tokens."""

import torch
from torch.nn import functional as F

from ..drawing import Drawing
from ..sheet import Sheet

PARTS = (2, 6, 4)  # tokens
FEATURES = 6
LEFT, TOP, CELL, HIGH, APART = 144, 62, 24, 30, 46
Row = tuple[str, list[float]]


def gradients() -> list[Row]:
    """The gradient of a linear layer's mean loss: of each part, of the sums, of the whole batch."""
    generator = torch.Generator().manual_seed(3)
    x, y = (torch.randn(sum(PARTS), n, generator=generator) for n in (FEATURES, 1))

    def gradient(tokens: slice) -> torch.Tensor:
        weight = torch.zeros(1, FEATURES, requires_grad=True)
        loss = F.mse_loss(F.linear(x[tokens], weight), y[tokens])
        return torch.autograd.grad(loss, weight)[0][0]

    ends = torch.tensor(PARTS).cumsum(0).tolist()
    parts = [gradient(slice(end - n, end)) for n, end in zip(PARTS, ends, strict=True)]
    weighted = torch.stack([n * part for n, part in zip(PARTS, parts, strict=True)]).sum(0)
    rows = {f"part {number}": part for number, part in enumerate(parts, start=1)} | {
        "sum by tokens": weighted / sum(PARTS),
        "the whole batch": gradient(slice(None)),
        "mean of the parts": torch.stack(parts).mean(0),
    }
    return [(name, row.tolist()) for name, row in rows.items()]


def accumulation() -> Drawing:
    """Three parts with their tokens and gradients; below, the sums beside the whole batch."""
    found = gradients()
    whole = dict(found)["the whole batch"]
    sheet = Sheet(760, 366)
    right = LEFT + sum(PARTS) * CELL + 14
    sheet.text(LEFT, 40, "tokens", anchor="start", bold=True)
    sheet.text(right, 40, "gradient", anchor="start", bold=True)
    for number, (name, row) in enumerate(found):
        y = TOP + number * APART + (16 if number >= len(PARTS) else 0)
        sheet.text(LEFT - 14, y + 20, name, size=13, anchor="end")
        same = torch.allclose(torch.tensor(row), torch.tensor(whole), atol=1e-6)
        tokens = PARTS[number] if number < len(PARTS) else sum(PARTS)
        role = "blue" if number < len(PARTS) else "green" if same else "orange"
        sheet.grid(LEFT, y, (CELL, HIGH), [[role] * tokens])
        numbers = [[f"{value:.2f}".replace("-", "−") for value in row]]
        sheet.grid(right, y, (50, HIGH), [[role] * FEATURES], numbers)
    sheet.line((20, TOP + 3 * APART + 1), (740, TOP + 3 * APART + 1))
    return sheet.drawing(
        "accumulation",
        "Gradients, added up",
        f"Three parts of a batch with {', '.join(map(str, PARTS))} tokens, each with the gradient "
        "of its mean loss. Their sum, weighted by tokens, is the gradient of the whole batch; the "
        "plain mean of the three is another one.",
        found,
    )

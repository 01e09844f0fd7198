"""A mixture of experts: a router sends each token to the two experts with the best scores."""

import torch

from ..drawing import Drawing
from ..sheet import Sheet

K = 2
SCORES = {"the": (2.0, 1.0, 0.0, -1.0), "dog": (1.0, 3.0, 0.5, 0.0),
          "runs": (0.0, 2.0, 1.5, -0.5), "fast": (-1.0, 1.5, 0.0, 2.5)}  # fmt: skip
TOP, STEP, CELL = 74, 58, 50


def routing(k: int = K) -> tuple[list[list[float]], list[int]]:
    """The softmax of the best `k` scores of each token, 0 elsewhere; the tokens of each expert."""
    scores = torch.tensor(list(SCORES.values()))
    best = scores.topk(k, dim=-1)
    hidden = torch.full_like(scores, -torch.inf).scatter(-1, best.indices, best.values)
    weights = hidden.softmax(-1)
    return weights.tolist(), (weights > 0).sum(0).tolist()


def experts() -> Drawing:
    """Tokens, their scores, the weights that are left, and lines to the experts at work."""
    weights, tokens = found = routing()
    sheet = Sheet(760, 330)
    for x, name in ((170, "router’s scores"), (410, f"softmax of the best {K}")):
        sheet.text(x + 30, 30, name, bold=True)
        for expert in range(4):
            sheet.text(x + (expert - 1) * CELL, 58, f"E{expert + 1}", size=13, role="quiet")
    for row, (token, scores) in enumerate(SCORES.items()):
        y = TOP + row * STEP
        sheet.text(80, y + 22, token, anchor="end", bold=True)
        chosen = [["orange" if weight else "plain" for weight in weights[row]]]
        shown = [f"{score:g}".replace("-", "−") for score in scores]
        sheet.grid(95, y, (CELL, 34), chosen, [shown])
        sheet.grid(335, y, (CELL, 34), chosen, [[f"{w:.2f}" if w else "" for w in weights[row]]])
        sheet.arrow((299, y + 17), (331, y + 17))
        for expert, weight in enumerate(weights[row]):
            if weight:
                sheet.line((535, y + 17), (620, TOP + expert * STEP + 17), role="way")
    for expert, count in enumerate(tokens):
        y = TOP + expert * STEP
        role = "green" if count else "grey"
        sheet.box(620, y - 4, 120, 42, role, f"E{expert + 1}: {count} of {len(SCORES)}", bold=True)
    said = f"{K} of 4 feed-forward networks work for a token; all 4 are stored"
    sheet.text(380, 314, said, role="quiet")
    return sheet.drawing(
        "experts",
        "A router and four experts",
        f"Four tokens have four scores each. The softmax of the best {K} gives the weights, and "
        f"lines lead to the experts that are computed. Their numbers of tokens, "
        f"{tokens}, are uneven.",
        found,
    )

"""The loss of instruction tuning: which predictions of a conversation count, and how much."""

import torch

from ...families.answer_losses import instruction_loss
from ..drawing import Drawing
from ..sheet import Sheet

TOKENS = ("<user>", "4", "7", "+", "3", "8", "?", "<model>", "8", "5", "<end>")
GUESSED = (0.3, 0.1, 0.1, 0.2, 0.1, 0.1, 0.9, 0.9, 0.5, 0.5, 1.0)  # the probability of each token
LEFT, WIDE, HIGH = 130, 62, 36


def counted() -> tuple[list[float], float]:
    """How much each prediction counts, as the gradient of the loss says, and the loss in nats."""
    after = TOKENS.index("<model>")
    answered = torch.tensor([[place > after for place in range(1, len(TOKENS))]])
    each = torch.tensor([GUESSED[1:]]).log().requires_grad_()
    loss = instruction_loss(each, answered)
    (gradient,) = torch.autograd.grad(loss, each)
    return (-gradient[0]).tolist(), loss.item()


def answer_mask() -> Drawing:
    """A row of tokens; below each the next one, its probability, and how much that counts."""
    weights, loss = found = counted()
    sheet = Sheet(760, 336)
    for y, name in ((52, "it reads"), (130, "it predicts"), (182, "probability"),
                    (222, "counts")):  # fmt: skip
        sheet.text(LEFT - 12, y + 23, name, anchor="end", bold=y < 182)
    for place, weight in enumerate(weights):
        x, role = LEFT + place * WIDE, "green" if weight else "grey"
        sheet.box(x + 1, 52, WIDE - 2, HIGH, "plain", TOKENS[place], size=13)
        sheet.arrow((x + WIDE / 2, 52 + HIGH), (x + WIDE / 2, 130))
        sheet.box(x + 1, 130, WIDE - 2, HIGH, role, TOKENS[place + 1], size=13, bold=weight > 0)
        sheet.text(x + WIDE / 2, 205, f"{GUESSED[place + 1]:g}", size=13)
        sheet.text(x + WIDE / 2, 245, f"1/{1 / weight:.0f}" if weight else "0", bold=weight > 0)
    begin = LEFT + weights.index(max(weights)) * WIDE
    sheet.text((LEFT + begin) / 2, 32, "the question, and the template", size=13, role="quiet")
    sheet.text(begin + 1.5 * WIDE, 32, "the answer", size=13, role="quiet")
    sheet.line((begin, 20), (begin, 262), role="way")
    said = f"loss: (ln 2 + ln 2 + ln 1) / 3 = {loss:.2f} nats, however bad the grey guesses are"
    sheet.text(380, 304, said, bold=True)
    return sheet.drawing(
        "answer_mask",
        "Only the answer counts",
        "The tokens of a conversation in a row, and below each the next one, which is predicted "
        f"there. The last {sum(w > 0 for w in weights)} predictions are the answer 8, 5, <end>; "
        "the first of them is made at <model>. They count a third each, all others nothing. "
        f"The loss is {loss:.2f} nats.",
        found,
    )

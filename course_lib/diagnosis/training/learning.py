"""Checks of a whole model that trains: the loss it begins with, and a batch learned by heart."""

import copy
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..check import Check

FAR = 1.5  # nats: logits of a deviation of 1 to 1.7, as after a norm, cost less
STEPS, RATE = 40, 3e-3


def start(logits: Tensor) -> Check:
    """A new model knows nothing: its loss is near the logarithm of the number of choices."""
    choices = logits.shape[-1]
    loss = -F.log_softmax(logits, dim=-1).mean().item()  # every answer is as likely
    measured = f"{loss:.2f} nats; ln {choices} is {math.log(choices):.2f}"
    advice = "the logits of a new model are too large: initialization, or a factor on the output"
    return Check("loss at the start", abs(loss - math.log(choices)) < FAR, measured, advice)


def by_heart(
    model: nn.Module,
    step: Callable[..., Any],
    batch: tuple[Tensor, ...],
) -> Check:
    """In some steps of Adam the model learns one batch, and every parameter moves (no dropout)."""
    made = copy.deepcopy(model)
    for part in made.modules():
        if isinstance(part, nn.Dropout):
            part.p = 0.0
    before = {name: tensor.clone() for name, tensor in made.named_parameters()}
    optimizer = torch.optim.Adam(made.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.ConstantLR(optimizer, 1.0)
    losses = []
    for number in range(STEPS):
        given = (one.clone() for one in batch)
        losses.append(step(made, *given, optimizer, schedule)["loss"])
        if number == 1:
            after = {name: tensor.clone() for name, tensor in made.named_parameters()}
    still = [name for name, tensor in after.items() if torch.equal(tensor, before[name])]
    measured = f"loss {losses[0]:.2f}, after {STEPS} steps {losses[-1]:.2f}"
    if still:
        measured = f"after two steps {still[0]} has not moved ({len(still)} of {len(after)})"
        return Check("learns one batch", False, measured, "no gradient, no step, or another model")
    advice = "it cannot learn one batch by heart: do not train on a thousand before it can"
    return Check("learns one batch", losses[-1] < 0.75 * losses[0], measured, advice)

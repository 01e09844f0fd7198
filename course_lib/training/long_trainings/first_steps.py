"""Whether a training changes its model at all: asked of its first steps.

A loop that runs without changing a weight looks like one whose loss does not fall.
"""

from typing import Any

import torch
from torch import nn

from ..plain import Row

PATIENCE = 10  # steps without a change: a schedule may begin at a rate of 0


class NothingTrainsError(Exception):
    """A training whose steps do not change the model, or a part of it, in one sentence."""


class FirstSteps:
    """Compares the parameters that `optimizer` trains with those before the first step.

    Raises NothingTrainsError for an optimizer of another model, or without a trainable parameter of
    this one: its gradients would add up, and clipping would shrink all others.
    """

    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        trained = {id(p) for group in optimizer.param_groups for p in group["params"]}
        own = [p for p in model.parameters() if id(p) in trained and p.requires_grad]
        if not own:
            raise NothingTrainsError(
                "the optimizer has no trainable parameter of this model, so nothing would be "
                "trained: create it after the model, from `model.parameters()`"
            )
        left = [n for n, p in model.named_parameters() if p.requires_grad and id(p) not in trained]
        if left:
            raise NothingTrainsError(
                f"the optimizer does not train {left[0]} ({len(left)} of {len(left) + len(own)} "
                "parameters): create it after the last change of the model, from "
                "`model.parameters()`, or freeze what should stay with `requires_grad_(False)`"
            )
        self.before: list[Any] = [(p, p.detach().cpu().clone()) for p in own]
        self.steps = 0

    def look(self, row: Row, asked: bool) -> None:
        """Compare after a step; `asked` is whether it called its `backward`.

        Raises NothingTrainsError after `PATIENCE` steps without a change.
        """
        if any(not torch.equal(p.detach().cpu(), before) for p, before in self.before):
            self.before = []
        if self.before:
            self.steps += 1
            self.row, self.asked = row, asked
            if self.steps == PATIENCE:
                self.end()

    def end(self) -> None:
        """Raise NothingTrainsError if there were steps, and none has changed a weight."""
        if self.before and self.steps:
            raise NothingTrainsError(
                f"no weight has changed in {self.steps} steps: {_cause(self.row, self.asked)}"
            )


def _cause(row: Row, asked: bool) -> str:
    if not asked:
        return "the step never called backward(loss); call it before the optimizer's step"
    if row.get("gradient_norm") == 0.0:
        return "every gradient is 0; look for a loss that does not depend on the model"
    if row.get("learning_rate") == 0.0:
        return "the learning rate is 0; look at the schedule"
    return "call optimizer.step() after backward(loss), and zero_grad() only before or after both"

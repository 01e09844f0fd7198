"""One update of a model, and the training step of any loss: what `fit` takes.

step = step_of(translation_loss)
row = step(model, source_ids, target_ids, optimizer, schedule)
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from .plain import Row

Loss = Callable[..., tuple[Tensor, dict[str, Tensor]]]  # of a batch, and other measures
Step = Callable[..., Row]


def update(
    model: nn.Module,
    loss: Tensor,
    optimizer: Any,
    schedule: Any,
    max_norm: float = 1.0,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Callable[..., Tensor] = nn.utils.clip_grad_norm_,
) -> Row:
    """Change the weights by the gradient of `loss`, clipped to `max_norm`.

    Returns `gradient_norm` (before clipping) and `learning_rate` (that of this update).
    """
    backward(loss)
    norm = float(clip(model.parameters(), max_norm))
    row = {"gradient_norm": norm, "learning_rate": optimizer.param_groups[0]["lr"]}
    for finish in (optimizer.step, schedule.step, optimizer.zero_grad):  # in this order
        finish()
    return row


def step_of(loss: Loss) -> Step:
    """The training step of `loss(model, *batch, label_smoothing=…)`, as `plain.train` calls it.

    `step(model, *batch, optimizer, schedule, max_norm=…, label_smoothing=…, backward=…, clip=…)`
    returns the row of `update` with the loss and what else it measured.
    """

    def step(model: nn.Module, *given: Any, label_smoothing: float = 0.1, **how: Any) -> Row:
        *batch, optimizer, schedule = given
        model.train()
        value, measures = loss(model, *batch, label_smoothing=label_smoothing)
        row = update(model, value, optimizer, schedule, **how)
        return row | measured(value, measures)

    return step


def measured(loss: Tensor, measures: dict[str, Tensor]) -> Row:
    """The loss of a batch and its other measures, as floats."""
    return {"loss": loss.item()} | {name: float(value) for name, value in measures.items()}

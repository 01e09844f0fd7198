"""One training step of a classifier.

Paper statement R57 (lectures/paper_audit.md).
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F


def training_step(
    model: nn.Module,
    token_ids: Tensor,
    labels: Tensor,
    optimizer: Any,
    schedule: Any,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Callable[..., Tensor] = nn.utils.clip_grad_norm_,
) -> dict[str, float]:
    """Train `model` on one batch, `token_ids` (batch, n) and `labels` (batch,).

    `model(token_ids)` gives `(logits, weights)`. The loop passes its own `backward(loss)` and
    `clip(parameters, max_norm)` when it trains on several devices or in mixed precision.
    Returns `loss`, `gradient_norm` (before clipping), `learning_rate` (that of this step) and
    `accuracy` (of the batch), as floats.
    """
    # step 1: in training mode, logits and the label-smoothed loss
    model.train()
    logits, _ = model(token_ids)
    # §5.4 — "we employed label smoothing of value ε_ls = 0.1"
    loss = F.cross_entropy(logits, labels, label_smoothing=label_smoothing)
    # step 2: gradients, clipped
    backward(loss)
    gradient_norm = clip(model.parameters(), max_norm)
    learning_rate = optimizer.param_groups[0]["lr"]
    # step 3: the optimizer, then the schedule (§5.3 varies the rate at every step)
    optimizer.step()
    schedule.step()
    # step 4: clear the gradients for the next step
    optimizer.zero_grad()
    accuracy = (logits.detach().argmax(dim=-1) == labels).float().mean()
    return {
        "loss": loss.item(),
        "gradient_norm": float(gradient_norm),
        "learning_rate": learning_rate,
        "accuracy": accuracy.item(),
    }

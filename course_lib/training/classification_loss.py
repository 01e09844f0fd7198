"""The loss of a batch of sentences with labels, for `fit(…, loss=…)`: `(loss, measures)`."""

from torch import Tensor, nn
from torch.nn import functional as F


def classification_loss(
    model: nn.Module, token_ids: Tensor, labels: Tensor, label_smoothing: float = 0.1
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of `training_step` (§5.4), and the share of the batch that is right."""
    logits, _ = model(token_ids)
    accuracy = (logits.argmax(dim=-1) == labels).float().mean()
    return F.cross_entropy(logits, labels, label_smoothing=label_smoothing), {"accuracy": accuracy}

"""The loss of a sequence: label-smoothed cross-entropy, padding excluded.

Paper statements R57, R58, R59 (lectures/paper_audit.md).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def label_smoothed_loss(
    logits: Float[Tensor, "*batch vocab_size"],
    targets: Int[Tensor, "*batch"],
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    """The mean over real tokens of the cross-entropy with smoothed labels (§5.4), in nats.

    The true token gets 1 − ε, and ε is spread evenly over the whole vocabulary, true token included
    (Szegedy et al. 2015). Targets equal to `pad_id`, which may be no token, such as −100, are
    excluded from the sum and the count; without any real target the loss is 0.
    """
    real = targets != pad_id
    log_probabilities = torch.log_softmax(logits, dim=-1)
    true = log_probabilities.gather(-1, (targets * real).unsqueeze(-1)).squeeze(-1)
    mean = log_probabilities.mean(dim=-1) if smoothing else 0.0  # 0 · (−∞) would be NaN
    # §5.4 — "label smoothing of value ε_ls = 0.1"
    smoothed = (1 - smoothing) * true + smoothing * mean
    return -smoothed.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)

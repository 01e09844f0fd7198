"""How well a masked language model fills gaps."""

import math
from typing import Any

import torch
from torch import nn

from ..data.masking import IGNORED
from ..training.language_losses import masked_language_loss


@torch.no_grad()
def gap_measures(model: nn.Module, batches: Any) -> dict[str, float]:
    """How well gaps are filled: the share that is right, and exp of the mean cross-entropy.

    The gaps are those of epoch 0. The model is left in the mode it came in. Both are NaN when no
    gap was drawn.
    """
    was_training, asked, total, right = model.training, 0, 0.0, 0.0
    model.eval()
    batches.set_epoch(0)
    device = next(model.parameters()).device
    try:
        for token_ids, targets, *_ in batches:
            n_asked = int((targets != IGNORED).sum())
            loss, measures = masked_language_loss(model, token_ids.to(device), targets.to(device))
            total += n_asked * float(loss)
            right += n_asked * float(measures["accuracy"])
            asked += n_asked
    finally:
        model.train(was_training)
    if not asked:
        return {"gap_accuracy": math.nan, "gap_perplexity": math.nan}
    try:
        return {"gap_accuracy": right / asked, "gap_perplexity": math.exp(total / asked)}
    except OverflowError:  # above 709 nats
        return {"gap_accuracy": right / asked, "gap_perplexity": math.inf}

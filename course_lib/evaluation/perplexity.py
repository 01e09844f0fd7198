"""Perplexity: between how many tokens a model hesitates, on average."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from ..training.losses import label_smoothed_loss
from ..training.translation_step import shift_targets


@torch.no_grad()
def perplexity(
    model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]], pad_id: int = 0
) -> float:
    """e to the mean cross-entropy of a real token, over all batches of pairs (§6.2, Table 3).

    Without label smoothing and without dropout; the model is left in the mode it came in. Every
    token counts once, whatever batch it is in: the mean of the batches' means is another number.
    `model(source_ids, read)` gives `(logits, weights)`; targets carry START … END.
    Raises ValueError when there is no token.
    """
    was_training, total, count = model.training, 0.0, 0
    model.eval()
    for source_ids, target_ids in batches:
        read, wanted = shift_targets(target_ids)
        logits, _ = model(source_ids, read)
        real = int((wanted != pad_id).sum())
        total += real * float(label_smoothed_loss(logits, wanted, 0.0, pad_id))
        count += real
    model.train(was_training)
    if count == 0:
        raise ValueError("there is no token to predict: give at least one pair")
    return math.exp(total / count)

"""Perplexity of a translation model on sentence pairs."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from ..training.losses import label_smoothed_loss
from ..training.translation_step import shift_targets


@torch.no_grad()
def perplexity(
    model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]], pad_id: int | None = None
) -> float:
    """exp of the mean cross-entropy per real token, over all batches of pairs (§6.2, Table 3).

    Without label smoothing and dropout; the model is left in the mode it came in. Every token
    counts once, whatever batch it is in, so this is not the mean of the batches' means.
    `model(source_ids, decoder_input)` gives `(logits, weights)`; targets are START … END.
    Padding is `pad_id`; by default the model's own, or 0. Raises ValueError when there is no token.
    """
    pad_id = getattr(model, "pad_id", 0) if pad_id is None else pad_id
    was_training, total, count = model.training, 0.0, 0
    model.eval()
    try:
        for source_ids, target_ids in batches:
            decoder_input, labels = shift_targets(target_ids)
            logits, _ = model(source_ids, decoder_input)
            real = int((labels != pad_id).sum())
            total += real * float(label_smoothed_loss(logits, labels, 0.0, pad_id))
            count += real
    finally:
        model.train(was_training)
    if count == 0:
        raise ValueError("there is no token to predict: give at least one pair")
    try:
        return math.exp(total / count)
    except OverflowError:  # above 709 nats
        return math.inf

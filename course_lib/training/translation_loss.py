"""The loss of a translator with teacher forcing, in its fast form where the model has one."""

import torch
from jaxtyping import Int
from torch import Tensor, nn

from ..fast.loss import projected_loss
from ..masks import target_mask
from ..transformer import Transformer
from .losses import label_smoothed_loss
from .translation_step import shift_targets


def translation_loss(
    model: nn.Module,
    source_ids: Int[Tensor, "batch n_source"],
    target_ids: Int[Tensor, "batch n_target"],
    label_smoothing: float = 0.1,
    pad_id: int = 0,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of `translation_step` (§5.4), and the share of real tokens that are right.

    The full tensor of logits is never made for a `Transformer`, whose parts are called, in 32 bits;
    any other model, such as a wrapper for several processes, is only called.
    """
    read, labels = shift_targets(target_ids)
    n_real = (labels != pad_id).sum().clamp(min=1)
    if not isinstance(model, Transformer):
        logits, _ = model(source_ids, read)
        right = ((logits.argmax(dim=-1) == labels) & (labels != pad_id)).sum()
        loss = label_smoothed_loss(logits, labels, label_smoothing, pad_id)
        return loss, {"accuracy": right / n_real}
    with torch.autocast(source_ids.device.type, enabled=False):
        memory, source_mask = model.encode(source_ids)
        mask = target_mask(read, pad_id)
        x, _ = model.decoder(model.embedding(read), memory, mask, source_mask)
        words = model.embedding.tokens.weight
        loss, right = projected_loss(x, words, labels, label_smoothing, pad_id)
    return loss, {"accuracy": right / n_real}

"""The loss of a batch of pairs, for `fit(…, loss=…)`: `(loss, measures)`."""

import torch
from jaxtyping import Int
from torch import Tensor, nn

from ..fast.loss import projected_loss
from ..masks import target_mask
from ..transformer import Transformer
from .losses import label_smoothed_loss
from .translation_step import shift_targets

Measures = dict[str, Tensor]


def translation_loss(
    model: nn.Module,
    source_ids: Int[Tensor, "batch n_source"],
    target_ids: Int[Tensor, "batch n_target"],
    label_smoothing: float = 0.1,
    pad_id: int | None = None,
) -> tuple[Tensor, Measures]:
    """The loss of `translation_step` (§5.4), and the share of real tokens that are right.

    Padding is `pad_id`; by default the model's own, or 0. The parts of a `Transformer` are called,
    and its full tensor of logits is never made; any other model, such as a wrapper for several
    processes, is only called. The loss is computed in 32 bits.
    """
    if pad_id is None:
        pad_id = int(getattr(getattr(model, "module", model), "pad_id", 0))
    read, labels = shift_targets(target_ids)
    n_real = (labels != pad_id).sum().clamp(min=1)
    if not isinstance(model, Transformer):
        logits, _ = model(source_ids, read)
        right = ((logits.argmax(dim=-1) == labels) & (labels != pad_id)).sum()
        loss = label_smoothed_loss(logits, labels, label_smoothing, pad_id)
        return loss, {"accuracy": right / n_real}
    memory, source_mask = model.encode(source_ids)
    mask = target_mask(read, pad_id)
    x, _ = model.decoder(model.embedding(read), memory, mask, source_mask)
    words = model.embedding.tokens.weight
    with torch.autocast(source_ids.device.type, enabled=False):
        loss, right = projected_loss(x.float(), words, labels, label_smoothing, pad_id)
    return loss, {"accuracy": right / n_real}


def real_targets(batch: tuple[Tensor, Tensor], pad_id: int = 0) -> int:
    """How many tokens `translation_loss` of a batch is the mean of: the `count` for `fit`.

    For a model with another padding: `partial(real_targets, pad_id=model.pad_id)`.
    """
    return int((batch[1][:, 1:] != pad_id).sum())

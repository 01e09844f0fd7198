"""The loss of a batch, for `fit(…, loss=…)`: of sentences with labels, or of pairs.

Each gives `(loss, measures)`, as the steps that students write compute them.
"""

from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F

from ..fast.loss import projected_loss
from ..masks import target_mask
from ..transformer import Transformer
from .losses import label_smoothed_loss
from .translation_step import shift_targets

Measures = dict[str, Tensor]


def classification_loss(
    model: nn.Module, token_ids: Tensor, labels: Tensor, label_smoothing: float = 0.1
) -> tuple[Tensor, Measures]:
    """The loss of `training_step` (§5.4), and the share of the batch that is right."""
    logits, _ = model(token_ids)
    accuracy = (logits.argmax(dim=-1) == labels).float().mean()
    return F.cross_entropy(logits, labels, label_smoothing=label_smoothing), {"accuracy": accuracy}


def translation_loss(
    model: nn.Module,
    source_ids: Int[Tensor, "batch n_source"],
    target_ids: Int[Tensor, "batch n_target"],
    label_smoothing: float = 0.1,
    pad_id: int = 0,
) -> tuple[Tensor, Measures]:
    """The loss of `translation_step` (§5.4), and the share of real tokens that are right.

    The parts of a `Transformer` are called, and its full tensor of logits is never made; any other
    model, such as a wrapper for several processes, is only called. The loss is computed in 32 bits.
    """
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
    """How many tokens `translation_loss` of a batch is the mean of: the `count` for `fit`."""
    return int((batch[1][:, 1:] != pad_id).sum())


def fast_translation_step(
    model: nn.Module,
    source_ids: Int[Tensor, "batch n_source"],
    target_ids: Int[Tensor, "batch n_target"],
    optimizer: torch.optim.Optimizer,
    schedule: Any,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
) -> dict[str, float]:
    """`translation_step` by `translation_loss`; results are the same to 1e-5."""
    model.train()
    loss, measures = translation_loss(model, source_ids, target_ids, label_smoothing)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    learning_rate = optimizer.param_groups[0]["lr"]
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    measured = {"loss": loss.detach(), "gradient_norm": norm, **measures}
    return {name: value.item() for name, value in measured.items()} | {
        "learning_rate": learning_rate
    }

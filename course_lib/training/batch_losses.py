"""The loss of a batch, for `fit(…, loss=…)`: of sentences with labels, pairs, or blocks of text.

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


def language_loss(
    model: nn.Module, token_ids: Int[Tensor, "batch n"], label_smoothing: float = 0.0
) -> tuple[Tensor, Measures]:
    """The loss of a language model that predicts every token of a block after the first.

    A block has no padding.
    """
    logits = model(token_ids[:, :-1])
    loss = F.cross_entropy(
        logits.flatten(0, 1), token_ids[:, 1:].flatten(), label_smoothing=label_smoothing
    )
    return loss, {}


def packed_language_loss(
    model: nn.Module,
    token_ids: Int[Tensor, "batch n"],
    labels: Int[Tensor, "batch n"],
    texts: Int[Tensor, "batch n"],
    label_smoothing: float = 0.0,
) -> tuple[Tensor, Measures]:
    """The loss of a `LanguageModel` on packed rows: that of every text alone in a row."""
    logits, real = model(token_ids, texts=texts), texts != 0
    loss = F.cross_entropy(logits[real], labels[real], label_smoothing=label_smoothing)
    return loss, {}


def packed_tokens(batch: tuple[Tensor, Tensor, Tensor]) -> int:
    """How many tokens `packed_language_loss` of a batch is the mean of: the `count` for `fit`."""
    return int((batch[2] != 0).sum())


def masked_language_loss(
    model: nn.Module,
    token_ids: Int[Tensor, "batch n"],
    targets: Int[Tensor, "batch n"],
    segment_ids: Int[Tensor, "batch n"] | None = None,
    unrelated: Int[Tensor, " batch"] | None = None,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, Measures]:
    """The loss of a `MaskedLanguageModel` on hidden tokens, and the share of them that is right.

    A target below 0 is not asked for. With `unrelated`, 1 where the second segment does not follow
    the first, the loss of telling so is added, as in BERT.
    """
    asked = targets >= 0
    logits, next_logits = model(token_ids, segment_ids, asked)
    wanted, n_asked = targets[asked], asked.sum().clamp(min=1)
    total = F.cross_entropy(logits, wanted, reduction="sum", label_smoothing=label_smoothing)
    measures = {"accuracy": (logits.argmax(dim=-1) == wanted).sum() / n_asked}
    loss = total / n_asked
    if unrelated is None:
        return loss, measures
    measures["next_accuracy"] = (next_logits.argmax(dim=-1) == unrelated).float().mean()
    return loss + F.cross_entropy(next_logits, unrelated), measures


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

"""The fast form of `translation_step`: the same step, without the full tensor of logits.

history = fit(model, PairBuckets(…), step=fast_translation_step, …)
"""

from collections.abc import Callable
from typing import Any

from jaxtyping import Int
from torch import Tensor, nn

from ..fast.loss import projected_loss
from ..masks import target_mask
from ..transformer import Transformer
from .translation_step import shift_targets, translation_step


def fast_translation_step(
    model: nn.Module,
    source_ids: Int[Tensor, "batch n_source"],
    target_ids: Int[Tensor, "batch n_target"],
    optimizer: Any,
    schedule: Any,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Callable[..., Tensor] = nn.utils.clip_grad_norm_,
    pad_id: int = 0,
) -> dict[str, float]:
    """`translation_step` without the full tensor of logits; results are the same to 1e-5.

    It accesses the parts of a `Transformer`; for any other model, such as a wrapper for several
    processes, it calls `translation_step`.
    """
    if not isinstance(model, Transformer):
        step = (optimizer, schedule, max_norm, label_smoothing, backward, clip, pad_id)
        return translation_step(model, source_ids, target_ids, *step)
    model.train()
    decoder_input, labels = shift_targets(target_ids)
    memory, source_mask = model.encode(source_ids)
    mask = target_mask(decoder_input, pad_id)
    x, _ = model.decoder(model.embedding(decoder_input), memory, mask, source_mask)
    loss, right = projected_loss(x, model.embedding.tokens.weight, labels, label_smoothing, pad_id)
    backward(loss)
    gradient_norm = float(clip(model.parameters(), max_norm))
    learning_rate = optimizer.param_groups[0]["lr"]
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    accuracy = int(right) / max(1, int((labels != pad_id).sum()))
    return {
        "loss": loss.item(),
        "gradient_norm": gradient_norm,
        "accuracy": accuracy,
        "learning_rate": learning_rate,
    }

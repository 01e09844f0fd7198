"""One training step on sentence pairs, with teacher forcing.

history = fit(model, PairBuckets(…), step=translation_step, …)

Paper statements R11, R52, R57 (lectures/paper_audit.md).
"""

from collections.abc import Callable
from typing import Any

from jaxtyping import Int
from torch import Tensor, nn

from .losses import label_smoothed_loss


def shift_targets(
    target_ids: Int[Tensor, "batch n_target"],
) -> tuple[Int[Tensor, "batch n_target_1"], Int[Tensor, "batch n_target_1"]]:
    """`(decoder_input, labels)`: all but the last token, and all but the first (teacher forcing).

    A target is START … END. Having read it up to position i, the decoder is to predict i + 1.
    """
    # §3.1 — "the output embeddings are offset by one position"
    return target_ids[:, :-1], target_ids[:, 1:]


def translation_step(
    model: nn.Module,
    source_ids: Int[Tensor, "batch n_source"],
    target_ids: Int[Tensor, "batch n_target"],
    optimizer: Any,
    schedule: Any,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Callable[..., Tensor] = nn.utils.clip_grad_norm_,
    pad_id: int | None = None,
) -> dict[str, float]:
    """Train `model` on one batch of padded pairs; targets are START … END.

    `model(source_ids, decoder_input)` gives `(logits, weights)`. The loop passes its own
    `backward(loss)` and `clip(parameters, max_norm)` on several devices or in mixed precision.
    Padding is `pad_id`; by default the model's own, or 0.
    Returns `loss` (mean per real token), `gradient_norm` (before clipping), `learning_rate` (that
    of this step) and `accuracy` (share of real tokens that were the most likely), as floats.
    """
    pad_id = getattr(model, "pad_id", 0) if pad_id is None else pad_id
    # step 1: in training mode, logits for every prefix, and the label-smoothed loss
    model.train()
    decoder_input, labels = shift_targets(target_ids)
    logits, _ = model(source_ids, decoder_input)
    # §5.4 — "we employed label smoothing of value ε_ls = 0.1"
    loss = label_smoothed_loss(logits, labels, label_smoothing, pad_id)
    # step 2: gradients, clipped
    backward(loss)
    gradient_norm = clip(model.parameters(), max_norm)
    learning_rate = optimizer.param_groups[0]["lr"]
    # step 3: the optimizer, then the schedule (§5.3 varies the rate at every step)
    optimizer.step()
    schedule.step()
    # step 4: clear the gradients for the next step
    optimizer.zero_grad()
    real = labels != pad_id
    right = (logits.argmax(dim=-1) == labels) & real
    return {
        "loss": loss.item(),
        "gradient_norm": float(gradient_norm),
        "learning_rate": learning_rate,
        "accuracy": float(right.sum() / real.sum().clamp(min=1)),
    }

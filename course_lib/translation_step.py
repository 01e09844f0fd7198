"""One step of training on sentence pairs: the decoder reads the right beginning of every target.

history = fit(model, PairBuckets(…), step=fast_translation_step, …)
"""

from collections.abc import Callable
from typing import Any

from jaxtyping import Int
from torch import Tensor, nn

from .fast_loss import projected_loss
from .losses import label_smoothed_loss
from .masks import target_mask
from .transformer import Transformer

Clip = Callable[..., Tensor]


def shift_targets(
    target_ids: Int[Tensor, "batch n_target"],
) -> tuple[Int[Tensor, "batch n_target_1"], Int[Tensor, "batch n_target_1"]]:
    """`(read, wanted)`: all but the last token, and all but the first (teacher forcing).

    A target is START … END. Where the decoder has read it up to position i it is to say i + 1.
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
    clip: Clip = nn.utils.clip_grad_norm_,
    pad_id: int = 0,
) -> dict[str, float]:
    """Train `model` on one batch of padded pairs; targets carry START … END.

    `model(source_ids, read)` gives `(logits, weights)`. The loop passes its own `backward(loss)`
    and `clip(parameters, max_norm)` when it trains on several devices or in mixed precision.
    Returns `loss` (a real token's mean), `gradient_norm` (before clipping), `learning_rate` (that
    of this step) and `accuracy` (the share of real tokens that were the likeliest), as floats.
    """
    # step 1: in training mode, what comes next after every prefix, and the smoothed loss
    model.train()
    read, wanted = shift_targets(target_ids)
    logits, _ = model(source_ids, read)
    # §5.4 — "we employed label smoothing of value ε_ls = 0.1"
    loss = label_smoothed_loss(logits, wanted, label_smoothing, pad_id)
    right = ((logits.argmax(dim=-1) == wanted) & (wanted != pad_id)).sum()
    # steps 2 to 4: gradients, clipped; the optimizer, then the schedule; clear the gradients
    return _update(
        model, loss, _share(right, wanted, pad_id), optimizer, schedule, max_norm, backward, clip
    )


def fast_translation_step(
    model: nn.Module,
    source_ids: Int[Tensor, "batch n_source"],
    target_ids: Int[Tensor, "batch n_target"],
    optimizer: Any,
    schedule: Any,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Clip = nn.utils.clip_grad_norm_,
    pad_id: int = 0,
) -> dict[str, float]:
    """`translation_step` without the logits: results are the same to 1e-5.

    It looks inside a `Transformer`; any other model, such as one that several processes share,
    takes the readable step.
    """
    if not isinstance(model, Transformer):
        step = (optimizer, schedule, max_norm, label_smoothing, backward, clip, pad_id)
        return translation_step(model, source_ids, target_ids, *step)
    model.train()
    read, wanted = shift_targets(target_ids)
    memory, source_mask = model.encode(source_ids)
    mask = target_mask(read, pad_id)
    x, _ = model.decoder(model.embedding(read), memory, mask, source_mask)
    loss, right = projected_loss(x, model.embedding.tokens.weight, wanted, label_smoothing, pad_id)
    return _update(
        model, loss, _share(right, wanted, pad_id), optimizer, schedule, max_norm, backward, clip
    )


def _share(right: Tensor, wanted: Tensor, pad_id: int) -> float:
    return int(right) / max(1, int((wanted != pad_id).sum()))


def _update(
    model: nn.Module,
    loss: Tensor,
    accuracy: float,
    optimizer: Any,
    schedule: Any,
    max_norm: float,
    backward: Callable[[Tensor], None],
    clip: Clip,
) -> dict[str, float]:
    """What follows the loss in every training step (see `training_step`); returns its row."""
    backward(loss)
    gradient_norm = clip(model.parameters(), max_norm)
    learning_rate = optimizer.param_groups[0]["lr"]
    # §5.3 varies the rate at every step
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    return {
        "loss": loss.item(),
        "gradient_norm": float(gradient_norm),
        "learning_rate": learning_rate,
        "accuracy": accuracy,
    }

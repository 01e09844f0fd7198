"""Style: type hints, a mode that is put back by `finally`, running means, clearing by the model."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn


def translation_step(
    model: nn.Module,
    source_ids: Tensor,
    target_ids: Tensor,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Callable[..., Tensor] = nn.utils.clip_grad_norm_,
    pad_id: int | None = None,
) -> dict[str, float]:
    """The gradients are cleared through the model; the accuracy is computed at the end."""
    if pad_id is None:
        pad_id = getattr(model, "pad_id", 0)
    read, wanted = shift_targets(target_ids)
    if not model.training:
        model.train(mode=True)
    logits, *_ = model(source_ids, read)
    loss = label_smoothed_loss(
        logits=logits, targets=wanted, smoothing=label_smoothing, pad_id=pad_id
    )
    backward(loss)
    norm = clip(model.parameters(), max_norm)
    (rate, *_) = [group["lr"] for group in optimizer.param_groups]
    optimizer.step()
    model.zero_grad(set_to_none=True)
    schedule.step()
    with torch.no_grad():
        real = wanted.ne(pad_id)
        hits = logits.max(dim=-1).indices.eq(wanted).logical_and(real)
        accuracy = hits.sum().item() / max(real.sum().item(), 1)
    report = {"accuracy": accuracy, "loss": loss.detach().item()}
    return report | {"learning_rate": float(rate), "gradient_norm": float(norm)}


def averaged(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean after n states from that after n − 1."""
    mean: dict[str, Tensor] = {}
    for n, state in enumerate(states, start=1):
        if n > 1 and set(mean) != set(state):
            raise ValueError("these states are of different models")
        for name, value in state.items():
            old = mean.get(name, torch.zeros_like(value))
            mean[name] = old + (value.detach() - old) / n
    if not mean:
        raise ValueError("there are no states")
    return mean

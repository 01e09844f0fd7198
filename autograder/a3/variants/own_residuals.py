"""Style: type hints, own residual connections and schedule, no last norm, a tuple of weights."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention


class _Around(nn.Module):
    """A hand-written residual connection."""

    def __init__(self, d_model: int, dropout: float):
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps=1e-6)
        self.drop = dropout

    def branch(self, x: Tensor, result: Tensor) -> Tensor:
        return x + nn.functional.dropout(result, p=self.drop, training=self.training)


class EncoderLayer(nn.Module):
    """Both orders, side by side."""

    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()
        self.feed_forward = FeedForward(d_model, d_ff)
        self.attention = MultiHeadAttention(d_model=d_model, n_heads=n_heads, dropout=dropout)
        self.feed_forward_residual = _Around(d_model, dropout)
        self.attention_residual = _Around(d_model, dropout)
        self.pre = norm_first

    def forward(self, x, mask=None, need_weights=False):
        first, second = self.attention_residual, self.feed_forward_residual
        if self.pre:
            y = first.norm(x)
            y, weights = self.attention(y, y, y, mask=mask, need_weights=True)
            x = first.branch(x, y)
            x = second.branch(x, self.feed_forward(second.norm(x)))
        else:
            y, weights = self.attention(query=x, key=x, value=x, mask=mask, need_weights=True)
            x = first.norm(first.branch(x, y))
            x = second.norm(second.branch(x, self.feed_forward(x)))
        return (x, weights) if need_weights else (x, None)


class Encoder(nn.Module):
    """Layers in a ModuleList that is filled one by one."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        self.layers = nn.ModuleList()
        while len(self.layers) < n_layers:
            self.layers.append(
                EncoderLayer(d_model, n_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first)
            )
        if norm_first:
            self.norm = nn.LayerNorm(d_model, eps=1e-6)

    def forward(self, x, mask=None, need_weights=False):
        collected = ()
        for layer in self.layers:
            if need_weights:
                x, weights = layer(x, mask, need_weights=True)
                collected = (*collected, weights)
            else:
                x = layer(x, mask)[0]
        if hasattr(self, "norm"):
            x = self.norm(x)
        return x, collected if need_weights else None


def training_step(
    model: nn.Module,
    token_ids: Tensor,
    labels: Tensor,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Callable[..., Tensor] = nn.utils.clip_grad_norm_,
) -> dict[str, float]:
    """The accuracy is measured before anything moves; gradients are cleared twice, to be sure."""
    model.zero_grad()
    model.train(True)
    logits, *_ = model(token_ids)
    with torch.no_grad():
        accuracy = torch.eq(logits.argmax(1), labels).double().mean()
    criterion = nn.CrossEntropyLoss(label_smoothing=label_smoothing)
    report = {"accuracy": float(accuracy)}
    loss = criterion(input=logits, target=labels)
    report["loss"] = float(loss.detach())
    backward(loss)
    report["gradient_norm"] = float(clip(model.parameters(), max_norm))
    (report["learning_rate"],) = {float(group["lr"]) for group in optimizer.param_groups}
    optimizer.step()
    schedule.step()
    optimizer.zero_grad(set_to_none=True)
    return report

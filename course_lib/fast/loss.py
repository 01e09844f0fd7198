"""Fast forms of the loss: the same values as `losses.label_smoothed_loss`, to 1e-5.

    loss = fast_label_smoothed_loss(logits, targets, smoothing=0.1)
    loss, right = projected_loss(x, embedding.weight, targets, smoothing=0.1)

The logits of a batch are its largest tensor by far (1,000 tokens × 4,000 words are 16 MB), and
much of a step on a CPU is spent allocating memory for them, their logarithms and their gradients.
`projected_loss` never stores them all: it goes from the decoder's output to the gradient a few rows
at a time, small enough for the CPU cache.

Paper statement R57 (lectures/paper_audit.md).
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

ROWS = 512  # rows of logits at a time: 512 × 4,000 × 4 bytes are 8 MB


def fast_label_smoothed_loss(
    logits: Float[Tensor, "*batch vocab_size"],
    targets: Int[Tensor, "*batch"],
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    """`label_smoothed_loss` (§5.4) by torch's cross-entropy."""
    loss = F.cross_entropy(
        logits.flatten(0, -2),
        targets.flatten(),
        ignore_index=pad_id,
        label_smoothing=smoothing,
        reduction="sum",
    )
    return loss / (targets != pad_id).sum().clamp(min=1)


def projected_loss(
    x: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, "vocab_size d_model"],
    targets: Int[Tensor, "*batch"],
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """`(loss, right)`: `label_smoothed_loss` of the logits `x @ weight.T` (§3.4, §5.4).

    `right` is the number of real targets that were the most likely token (a tie counts as right).
    Padding is removed before any computation. On other devices than the CPU, the full logits are
    computed.
    """
    if x.device.type != "cpu":
        logits = x @ weight.T
        right = (logits.argmax(dim=-1) == targets) & (targets != pad_id)
        return fast_label_smoothed_loss(logits, targets, smoothing, pad_id), right.sum()
    real = targets.flatten() != pad_id
    return _ProjectedLoss.apply(x.flatten(0, -2)[real], weight, targets.flatten()[real], smoothing)


class _ProjectedLoss(torch.autograd.Function):
    """Loss and gradients in one pass; the gradient of the logits is softmax − smoothed target."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, targets: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        n, vocab_size = max(1, len(targets)), len(weight)
        x_gradient, weight_gradient = torch.empty_like(x), torch.zeros_like(weight)
        loss, right = x.new_zeros(()), targets.new_zeros(())
        for start in range(0, len(x), ROWS):
            rows, labels = x[start : start + ROWS], targets[start : start + ROWS, None]
            z = rows @ weight.T
            top, true, mean = z.amax(-1, True), z.gather(1, labels), z.mean(-1, True)
            right += (true >= top).sum()
            total = z.sub_(top).exp_().sum(-1, True)
            # §5.4 — 1 − ε on the true token, ε spread evenly over the vocabulary
            loss += (total.log() + top - (1 - smoothing) * true - smoothing * mean).sum()
            z.mul_(1 / (n * total)).sub_(smoothing / vocab_size / n)
            z.scatter_add_(1, labels, torch.full_like(true, (smoothing - 1) / n))
            x_gradient[start : start + ROWS] = z @ weight
            weight_gradient.addmm_(z.T, rows)
        ctx.save_for_backward(x_gradient, weight_gradient)
        ctx.mark_non_differentiable(right)
        return loss / n, right

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, outer: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None, None]:
        x_gradient, weight_gradient = ctx.saved_tensors
        return x_gradient * outer, weight_gradient * outer, None, None

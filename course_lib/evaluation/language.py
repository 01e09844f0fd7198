"""How well a language model predicts a text."""

import math

import torch
from torch import Tensor, nn

from ..training.language_losses import language_loss


@torch.no_grad()
def perplexity(model: nn.Module, tokens: Tensor, length: int, rows: int = 64) -> float:
    """exp of the mean cross-entropy of every token of a stream after the first.

    The stream is read in blocks of `length`, so a token near the beginning of one has little to go
    by. The model is left in the mode it came in. Raises ValueError for fewer than two tokens.
    """
    if len(tokens) < 2:
        raise ValueError(f"{len(tokens)} tokens: give at least 2, since the first is not predicted")
    was_training, total = model.training, 0.0
    model.eval()
    device = next(model.parameters()).device
    whole = (len(tokens) - 1) // length
    blocks = list(tokens.unfold(0, length + 1, length).split(rows)) if whole else []
    if len(tokens) > whole * length + 1:
        blocks.append(tokens[None, whole * length :])
    try:
        for block in blocks:
            loss, _ = language_loss(model, block.to(device))
            total += float(loss) * block[:, 1:].numel()
    finally:
        model.train(was_training)
    try:
        return math.exp(total / (len(tokens) - 1))
    except OverflowError:  # above 709 nats
        return math.inf

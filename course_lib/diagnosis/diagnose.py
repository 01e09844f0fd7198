"""Identify the fault of a model from its outputs alone."""

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F


def diagnose(model: nn.Module, token_ids: Int[Tensor, "batch n"], pad_id: int = 0) -> str:
    """Name the one fault of a classifier, or "healthy", from its outputs.

    `model(token_ids, need_weights=True)` gives `(logits, weights)`, one tensor of weights per
    layer. The faults: "dropout in evaluation", "mask after softmax", "pads attended", "pads
    pooled", "future hidden" (no token attends to a later one) and "no positions" (§3.5).
    `token_ids` has a sentence of several different tokens, with or without padding. The model runs
    in evaluation mode, without gradients, and is left in the mode it came in.
    """
    # step 1: the same sentences with more padding, twice, and with their real tokens reversed
    padded = F.pad(token_ids, (0, 3), value=pad_id)
    real = padded != pad_id
    backwards = padded.clone()
    for sentence, own in zip(backwards, real, strict=True):
        sentence[own] = sentence[own].flip(0)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            logits, layers = model(padded, need_weights=True)
            again, shorter, turned = (model(x)[0] for x in (padded, token_ids, backwards))
    finally:
        model.train(was_training)

    def same(a: Tensor, b: Tensor) -> bool:
        return torch.allclose(a, b, atol=1e-4)

    # step 2: the weights of real queries, (layers, batch, heads, n, n)
    weights = torch.stack(layers) * real[:, None, :, None]
    on_padding = weights * ~real[:, None, None, :]
    # step 3: first the faults that also disturb the later measurements
    if not same(logits, again):
        return "dropout in evaluation"
    if not same(weights.sum(-1), real[:, None, :].expand(weights.shape[:-1]).to(weights)):
        return "mask after softmax"
    if on_padding.max() > 1e-4:
        return "pads attended"
    if not same(logits, shorter):
        return "pads pooled"
    if weights.triu(1).max() <= 1e-4:
        return "future hidden"
    return "no positions" if same(logits, turned) else "healthy"

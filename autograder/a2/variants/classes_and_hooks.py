"""Style: double precision inside, hooks that are removed, a training loop of its own, no biases."""

import math
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import Tensor, nn


class ShapeError(ValueError):
    """A subclass of ValueError."""


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    dropout: Callable[[Tensor], Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """Equation 1, in double precision inside and in the input's precision outside."""
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ShapeError(f"query {query.shape}, key {key.shape}, value {value.shape}")
    scores = torch.matmul(query.double(), key.double().transpose(-2, -1))
    scores = scores / math.sqrt(query.size(-1))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.broadcast_to(scores.shape)
    scores = scores.masked_fill(~mask, -1e300)
    weights = torch.zeros_like(scores).masked_scatter(mask, scores.softmax(-1)[mask])
    weights = weights.to(query.dtype)
    mixed = weights
    if callable(dropout):
        mixed = dropout(mixed)
    return torch.matmul(mixed, value), weights


def plot_heads(weights, tokens):
    """Masked arrays, `pcolor`-free; two columns; unused axes are switched off."""
    grid = np.ma.masked_invalid(np.asarray(weights, dtype=float))
    if grid.shape[1:] != (len(tokens), len(tokens)):
        raise ShapeError(f"{grid.shape} for {len(tokens)} tokens")
    lines = math.ceil(len(grid) / 2)
    figure, frames = plt.subplots(lines, 2, squeeze=False, sharex=False)
    flat = frames.ravel()
    for frame in flat[len(grid) :]:
        frame.set_axis_off()
    for number, (frame, one) in enumerate(zip(flat, grid, strict=False)):
        frame.imshow(one, vmin=0, vmax=1, interpolation="nearest", aspect="equal")
        places, names = range(-1, len(tokens) + 1), ["", *map(str, tokens), ""]
        frame.set_xticks(places, labels=names, rotation=90, fontsize=8)
        frame.set_yticks(places, labels=names, fontsize=8)
        frame.set_xlabel("attended")
        frame.set_ylabel("attending")
        frame.set_title(f"#{number}")
    return tuple(flat[: len(grid)])


def compare_heads(n_heads_list, seeds, d_model=32, steps=100, n_train=1024, n_validation=512):
    """Its own training loop, its own count, its own accuracy."""
    rows = []
    for seed in seeds:
        data = torch.Generator().manual_seed(seed)
        training, held_out = draw_examples(n_train, data), draw_examples(n_validation, data)
        for n_heads in n_heads_list:
            with torch.random.fork_rng():
                torch.manual_seed(seed)
                module = MultiHeadAttention(d_model, n_heads, dropout=0.0, bias=False)
                reader = PointerReader(module, d_model).train()
            batches = torch.Generator().manual_seed(seed + 1)
            optimiser = torch.optim.AdamW(reader.parameters(), lr=1e-2, weight_decay=0.0)
            for _ in range(steps):
                pick = torch.randint(n_train, (64,), generator=batches)
                batch = type(training)(*(t[pick] for t in training))
                scores = reader(batch)
                loss = nn.functional.cross_entropy(scores.movedim(-1, 1), batch.answers)
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
            reader.eval()
            with torch.inference_mode():
                hits = (reader(held_out).argmax(-1) == held_out.answers).all(-1)
            count = sum(math.prod(p.shape) for p in reader.parameters())
            rows.append(
                {
                    "n_heads": n_heads,
                    "seed": seed,
                    "parameters": count,
                    "validation_accuracy": hits.double().mean().item(),
                }
            )
    return rows

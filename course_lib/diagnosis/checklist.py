"""A debugging checklist for a classifier whose results are suspiciously bad or good.

    for line in run(model, token_ids, labels):
        print(line)

Every check runs the model and measures its output; none reads its code. A model is any callable
with `model(token_ids, need_weights=True) -> (logits, weights)`, where weights is one tensor
`(batch, heads, n, n)` per layer. `student debug` runs the checklist on a notebook, or on models
with known faults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import checks, scales
from .checks import Check


def of_class(
    build: Callable[..., nn.Module], functions: Mapping[str, Callable[..., Any] | None]
) -> list[dict[str, object]]:
    """Run the checklist on a small untrained model from `build(vocab_size, …)`; as plain data.

    `functions` may hold the schedule `warmup_rate(step, d_model, warmup_steps)`. The norm placement
    is checked a second time, in a model built with `norm_first=True`.
    """
    token_ids = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, 0, 0, 0], [12, 3, 9, 5, 0, 0]])
    small = partial(build, 20, n_layers=3, d_model=32, n_heads=4, d_ff=64)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        post, pre = small(), small(norm_first=True)
        found = run(post, token_ids, torch.tensor([0, 1, 1]), rate=functions.get("warmup_rate"))
    with torch.no_grad():
        placed = checks.norm_placement(pre.eval(), token_ids, 0)
    return [asdict(check) for check in (*found, checks.norm_first(placed))]


def run(
    model: nn.Module,
    token_ids: Tensor,
    labels: Tensor,
    pad_id: int = 0,
    rate: Callable[[int, int, int], float] | None = None,
) -> list[Check]:
    """Run every check on `model`; its mode is restored and its gradients are cleared.

    `token_ids` is (batch, n), with at least two different tokens in each sentence; `labels` is
    (batch,). `rate(step, d_model, warmup_steps)` is the warm-up schedule to check, if any.
    """
    was_training = model.training
    padded = F.pad(token_ids, (0, 3), value=pad_id)
    try:
        model.eval()
        with torch.no_grad():
            logits, weights = model(padded, need_weights=True)
            found = [
                checks.shapes(logits, weights, padded, labels),
                checks.row_sums(weights, padded, pad_id),
                checks.weights_on_padding(weights, padded, pad_id),
                checks.both_sides(weights, padded, pad_id),
                checks.padding_changes_nothing(model, token_ids, padded),
                checks.positions_matter(model, padded, pad_id),
                checks.dropout_in_evaluation(model, padded),
                checks.dropout_in_training(model, padded),
                checks.norm_placement(model, padded, pad_id),
                checks.attention_entropy(weights, padded, pad_id),
                scales.score_scale(model),
                scales.embedding_scale(model, padded, pad_id),
                scales.sinusoids(model),
            ]
        found.append(checks.gradient_norms(model, padded, labels))
        return [*found, checks.warm_up(rate)]
    finally:
        model.zero_grad()
        model.train(was_training)

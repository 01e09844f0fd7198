"""A debugging checklist for a classifier whose results are suspiciously bad or good.

    for line in run(model, token_ids, labels):
        print(line)

Every check runs the model and measures; none reads its code. A model is any callable with
`model(token_ids, need_weights=True) -> (logits, weights)`, where weights is one tensor
`(batch, heads, n, n)` per layer. `student debug` runs the checklist on a notebook, or on models
with known faults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..data.batching import PAD
from . import checks, ends, parts, scales, slopes, stacks, wiring
from .check import Check
from .runs import first_failure
from .stages import Stage, in_order, of_new, with_other_arguments
from .training import learning, rates, steps

Functions = Mapping[str, Callable[..., Any] | None]
VOCABULARY = 20
SIZES: dict[str, Any] = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 48}
OTHER: dict[str, Any] = {
    "norm_first": True,
    "pooling": "cls",
    "n_classes": 3,
    "pad_id": VOCABULARY - 1,
    "dropout": 0.3,
    "position_scale": 0.5,
}
SENTENCES = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, PAD, PAD, PAD], [12, 3, 9, 5, PAD, PAD]])
LABELS = torch.tensor([0, 1, 1])


def of_class(build: Callable[..., nn.Module], functions: Functions) -> list[dict[str, object]]:
    """Run the checklist on a small untrained model from `build(vocab_size, …)`; as plain data.

    `functions` are those around the model, by their names in assignment 3; None, or absence, for
    one that is not written yet. If all is well, a second model is built with other arguments.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        paper, other = build(VOCABULARY, **SIZES), build(VOCABULARY, **SIZES, **OTHER)
        if failure := first_failure([(paper, {}), (other, OTHER)], SENTENCES):
            return failure  # nothing else can be measured
        stages: list[Stage] = [
            of_new(paper, SIZES | {"dropout": 0.1}),
            *_stages(paper, SENTENCES, LABELS, PAD, norm_first=False),
        ]
        found = [*in_order([_around(paper, functions)]), *restored(paper, stages)]
        found += in_order(_training(paper, functions), found)
        ids = torch.where(SENTENCES == PAD, VOCABULARY - 1, SENTENCES)
        ids[0, 0] = PAD  # a word like any other
        stages = [
            of_new(other, SIZES | OTHER),
            *_stages(other, ids, LABELS, VOCABULARY - 1, norm_first=True),
        ]
        return with_other_arguments(found, partial(restored, other, stages), OTHER)


def run(
    model: nn.Module,
    token_ids: Tensor,
    labels: Tensor,
    pad_id: int = PAD,
    rate: rates.Rate | None = None,
) -> list[Check]:
    """Run every check on `model`; its mode is restored and its gradients are cleared.

    `token_ids` is (batch, n), with at least two different tokens in each sentence; `labels` is
    (batch,). `rate(step, d_model, warmup_steps)` is the warm-up schedule to check, if any.
    """
    return [*restored(model, _stages(model, token_ids, labels, pad_id)), rates.warm_up(rate)]


def restored(model: nn.Module, stages: list[Stage]) -> list[Check]:
    """The checks of all stages; the model's mode is restored and its gradients are cleared."""
    was_training = model.training
    try:
        model.eval()
        return in_order(stages)
    finally:
        model.zero_grad()
        model.train(was_training)


def _stages(
    model: nn.Module,
    token_ids: Tensor,
    labels: Tensor,
    pad_id: int,
    norm_first: bool | None = None,
) -> list[Stage]:
    """The stages of a model; `norm_first` is what it was built with, if that is known."""
    padded = F.pad(token_ids, (0, 3), value=pad_id)
    was_training = model.training
    with torch.no_grad():
        logits, weights = model.eval()(padded, need_weights=True)
    model.train(was_training)
    measured = {
        "row sums": partial(checks.row_sums, weights, padded, pad_id),
        "no weight on padding": partial(checks.weights_on_padding, weights, padded, pad_id),
        "sees both sides": partial(checks.both_sides, weights, padded, pad_id),
        "padding is ignored": partial(checks.padding_changes_nothing, model, token_ids, padded),
        "positions matter": partial(checks.positions_matter, model, padded, pad_id),
        "sentences apart": partial(checks.sentences_do_not_mix, model, padded),
        "dropout in train()": partial(checks.dropout_in_training, model, padded),
        "attention entropy": partial(checks.attention_entropy, weights, padded, pad_id),
    }

    def loss(made: nn.Module) -> Tensor:
        return F.cross_entropy(made(padded)[0], labels)

    return [
        {"layers of their own": partial(stacks.registered, model)},
        {"no dropout in eval()": partial(checks.dropout_in_evaluation, model, padded)},
        *of_parts(model, padded, pad_id),
        {"layers": partial(wiring.layers, model)},
        *(
            []
            if norm_first is None
            else [{"norm_first": partial(wiring.norm_first, model, norm_first)}]
        ),
        {"stacks": partial(stacks.stacks, model, padded)},
        {"masks": partial(ends.masks, model, padded, pad_id=pad_id)},
        {"pooling": partial(ends.pooled, model, padded, pad_id)},
        {"weights": partial(ends.weights, model, padded)},
        {"shapes": partial(checks.shapes, logits, weights, padded, labels)},
        {"logits": partial(ends.no_probabilities, logits)},
        {name: partial(without_gradient, check) for name, check in measured.items()},
        {"gradients": partial(slopes.gradients, model, loss)},
    ]


def without_gradient(check: Callable[[], Check]) -> Check:
    """The check, run without gradients."""
    with torch.no_grad():
        return check()


def of_parts(model: nn.Module, token_ids: Tensor, pad_id: int) -> list[Stage]:
    """The checks of the parts that every model of the course has: factors, then the whole."""
    scaled = {
        "score scale": partial(scales.score_scale, model),
        "embedding scale": partial(scales.embedding_scale, model, token_ids, pad_id),
        "sinusoids": partial(scales.sinusoids, model),
    }
    return [
        {name: partial(without_gradient, check) for name, check in scaled.items()},
        {
            "layer norm": partial(parts.normalization, model),
            "attention": partial(parts.attention, model),
            "feed-forward": partial(parts.feed_forward, model),
            "embedding": partial(parts.embedding, model, token_ids),
        },
    ]


def _around(model: nn.Module, functions: Functions) -> Stage:
    """The checks of functions that need no model of one's own."""
    found = {"warm-up": partial(rates.warm_up, functions.get("warmup_rate"))}
    if schedule := functions.get("WarmupSchedule"):
        found["schedule"] = partial(rates.schedule, schedule)
    if optimizer := functions.get("paper_optimizer"):
        found["optimizer"] = partial(rates.paper_optimizer, optimizer, model)
    if step := functions.get("training_step"):
        batch = torch.tensor([[5, 9, 7], [4, 6, 8]]), torch.tensor([0, 1])
        found["training step"] = partial(steps.training, step, batch, VOCABULARY, 2)
    return found


def _training(model: nn.Module, functions: Functions) -> list[Stage]:
    step = functions.get("training_step")
    with torch.no_grad():
        logits = model.eval()(SENTENCES)[0]
    found: list[Stage] = [{"loss at the start": partial(learning.start, logits)}]
    if step:
        batch = SENTENCES, LABELS
        found.append({"learns one batch": partial(learning.by_heart, model, step, batch)})
    return found

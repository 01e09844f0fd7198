"""A debugging checklist for an encoder-decoder that translates badly, or suspiciously well.

    for line in run(model, source_ids, target_ids):
        print(line)

As in `checklist`, every check runs the model and measures; none reads its code. `student debug`
runs it on a notebook of assignment 4.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..data.batching import PAD
from ..data.pair_batching import END, START
from . import checks, ends, slopes, stacks, translator_checks, wiring
from .calls import distinct
from .check import Check
from .checklist import Functions, of_parts, restored, without_gradient
from .runs import first_failure
from .stages import Stage, in_order, of_new, with_other_arguments
from .training import learning, steps

VOCABULARY = 20
SIZES: dict[str, Any] = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 48}
OTHER: dict[str, Any] = {
    "norm_first": True,
    "pad_id": VOCABULARY - 1,
    "dropout": 0.3,
    "position_scale": 0.5,
}
SOURCES = torch.tensor([[5, 9, 7, 12, 8, 6, 4], [4, 6, 11, 10, 12, 13, 7]])
TARGETS = torch.tensor([[START, 9, 7, 13, END], [START, 6, 11, END, PAD]])


class _GivenSource(nn.Module):
    """The model with its source filled in, so that it looks like a classifier of its targets."""

    def __init__(self, model: nn.Module, source: Tensor) -> None:
        super().__init__()
        self.model, self.source = model, source

    def forward(self, target_ids: Tensor, need_weights: bool = False) -> Any:
        return self.model(self.source, target_ids, need_weights=need_weights)


def of_class(build: Callable[..., nn.Module], functions: Functions) -> list[dict[str, object]]:
    """Run the checklist on a small untrained model from `build(vocab_size, …)`; as plain data.

    `functions` are those around the model, by their names in assignment 4; None, or absence, for
    one that is not written yet. If all is well, a second model is built with other arguments.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        paper, other = build(VOCABULARY, **SIZES), build(VOCABULARY, **SIZES, **OTHER)
        if failure := first_failure([(paper, {}), (other, OTHER)], SOURCES, TARGETS):
            return failure  # nothing else can be measured
        stages: list[Stage] = [
            of_new(paper, SIZES | {"dropout": 0.1}),
            *_stages(paper, SOURCES, TARGETS, PAD, norm_first=False),
            _searches(paper, functions),
        ]
        found = [*in_order(_around(functions)), *restored(paper, stages)]
        found += in_order(_training(paper, functions), found)
        target = TARGETS.masked_fill(TARGETS == PAD, VOCABULARY - 1)
        target[0, 1] = PAD  # a word like any other
        stages = [
            of_new(other, SIZES | OTHER),
            *_stages(other, SOURCES, target, VOCABULARY - 1, norm_first=True),
            _searches(other, functions),
        ]
        return with_other_arguments(found, partial(restored, other, stages), OTHER)


def run(model: nn.Module, source: Tensor, target: Tensor, pad_id: int = PAD) -> list[Check]:
    """Run every check on `model`; its mode is restored and its gradients are cleared.

    `source` (batch, n_source) and `target` (batch, n_target) hold different sentences, the source
    without padding and longer than the target; a target begins with the start token.
    """
    return restored(model, _stages(model, source, target, pad_id))


def _stages(
    model: nn.Module,
    source: Tensor,
    target: Tensor,
    pad_id: int,
    norm_first: bool | None = None,
) -> list[Stage]:
    """The stages of a model; `norm_first` is what it was built with, if that is known."""
    same = source[:, : target.shape[1]]  # one length, for what two lengths would end
    padded = F.pad(source, (0, 2), value=pad_id)
    asked = _GivenSource(model, same)
    was_training = model.training
    with torch.no_grad():
        model.eval()(source, target, need_weights=True)  # raises what is not written yet
    model.train(was_training)
    measured = {
        "no look-ahead": partial(translator_checks.no_look_ahead, model, same, target),
        "reads the prefix": partial(translator_checks.reads_the_prefix, model, same, target),
        "reads the source": partial(translator_checks.reads_the_source, model, same, target),
        "source padding ignored": partial(
            translator_checks.source_padding, model, source, target, pad_id
        ),
        "cross-attention sums": partial(translator_checks.cross_weights, model, source, target),
        "dropout in train()": partial(checks.dropout_in_training, asked, target),
    }

    def loss(made: nn.Module) -> Tensor:
        logits = made(padded, target[:, :-1])[0]
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=pad_id)

    return [
        {"layers of their own": partial(stacks.registered, model)},
        {"no dropout in eval()": partial(checks.dropout_in_evaluation, asked, target)},
        *of_parts(model, target, pad_id),
        {"layers": partial(wiring.layers, model)},
        *(
            []
            if norm_first is None
            else [{"norm_first": partial(wiring.norm_first, model, norm_first)}]
        ),
        {"stacks": partial(stacks.stacks, model, padded, target)},
        {"masks": partial(ends.masks, model, padded, target, pad_id=pad_id)},
        {
            "shared matrix": partial(
                without_gradient, partial(translator_checks.shared_matrix, model)
            )
        },
        {"output": partial(ends.output, model, padded, target)},
        {"weights": partial(ends.weights, model, padded, target)},
        {"two lengths": partial(translator_checks.lengths_differ, model, source, target)},
        {name: partial(without_gradient, check) for name, check in measured.items()},
        {"gradients": partial(slopes.gradients, model, loss)},
    ]


def _around(functions: Functions) -> list[Stage]:
    """The checks of functions that need no model of one's own."""
    found: dict[str, Callable[[], Check]] = {}
    if shift := functions.get("shift_targets"):
        found["shifted targets"] = partial(translator_checks.shifted, shift)
    if loss := functions.get("label_smoothed_loss"):
        found["label_smoothed_loss"] = partial(translator_checks.smoothed_loss, loss)
    if step := functions.get("translation_step"):
        batch = SOURCES, TARGETS
        training = partial(steps.training, step, batch, VOCABULARY, VOCABULARY, PAD)
        return [found, {"training step": training}]  # it calls the other two
    return [found]


def _searches(model: nn.Module, functions: Functions) -> Stage:
    found: dict[str, Callable[[], Check]] = {}
    pad, model = getattr(model, "pad_id", PAD), distinct(model)
    source = F.pad(SOURCES, (0, 2), value=pad)
    source[1, 5:] = pad
    if plain := functions.get("uncached_step"):
        found["search step"] = partial(translator_checks.next_token, model, plain, source)
    start, cached = functions.get("start_cache"), functions.get("cached_step")
    if start and cached:
        found["cache"] = partial(translator_checks.cache_agrees, model, start, cached, source)
    return {name: partial(without_gradient, check) for name, check in found.items()}


def _training(model: nn.Module, functions: Functions) -> list[Stage]:
    with torch.no_grad():
        logits = model.eval()(SOURCES, TARGETS)[0]
    found: list[Stage] = [{"loss at the start": partial(learning.start, logits)}]
    if step := functions.get("translation_step"):
        batch = SOURCES, TARGETS
        found.append({"learns one batch": partial(learning.by_heart, model, step, batch)})
    return found

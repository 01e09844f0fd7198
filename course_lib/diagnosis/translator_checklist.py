"""A debugging checklist for an encoder-decoder that translates badly, or suspiciously well.

    for line in run(model, source_ids, target_ids):
        print(line)

As in `checklist`, every check runs the model and measures; none reads its code. `student debug`
runs it on a notebook of assignment 4.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..data.batching import PAD
from ..data.pair_batching import END, START
from . import checks, ends, slopes, translator_checks
from .calls import distinct
from .check import Check
from .checklist import Functions, of_parts, of_training, without_gradient
from .stages import OTHER, VOCABULARY, Stage, of_built, restored
from .training import steps

SOURCES = torch.tensor([[5, 9, 7, 12, 8, 6, 4], [4, 6, 11, 10, 12, 13, 7]])
TARGETS = torch.tensor([[START, 9, 7, 13, END], [START, 6, 11, END, PAD]])
BATCH = SOURCES, TARGETS


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

    def stages(model: nn.Module, pad_id: int) -> list[Stage]:
        target = TARGETS.masked_fill(TARGETS == PAD, pad_id)
        if pad_id != PAD:
            target[0, 1] = PAD  # a word like any other
        own = _stages(model, SOURCES, target, pad_id, norm_first=pad_id != PAD)
        return [*own, _searches(model, functions)]

    def alone(_: nn.Module) -> list[Stage]:
        return _around(functions)

    def training(model: nn.Module) -> list[Stage]:
        return of_training(model, functions.get("translation_step"), BATCH, *BATCH)

    return of_built(build, BATCH, stages, alone, training, OTHER)


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
        *of_parts(model, asked, padded, target, pad_id=pad_id, norm_first=norm_first),
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
        training = partial(steps.training, step, BATCH, VOCABULARY, VOCABULARY, PAD)
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

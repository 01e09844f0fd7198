"""A debugging checklist for a classifier whose results are suspiciously bad or good.

    for line in run(model, token_ids, labels):
        print(line)

Every check runs the model and measures; none reads its code. A model is any callable with
`model(token_ids, need_weights=True) -> (logits, weights)`, where weights is one tensor
`(batch, heads, n, n)` per layer. `student debug` runs the checklist on a notebook, or on models
with known faults.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..data.batching import PAD
from . import checks, ends, parts, scales, slopes, stacks, wiring
from .check import Check
from .stages import OTHER as OTHER_SIZES
from .stages import VOCABULARY, Stage, of_built, restored
from .training import learning, rates, steps

Functions = Mapping[str, Callable[..., Any] | None]
OTHER = {"norm_first": True, "pooling": "cls", "n_classes": 3, **OTHER_SIZES}
SENTENCES = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, PAD, PAD, PAD], [12, 3, 9, 5, PAD, PAD]])
LABELS = torch.tensor([0, 1, 1])


def of_class(build: Callable[..., nn.Module], functions: Functions) -> list[dict[str, object]]:
    """Run the checklist on a small untrained model from `build(vocab_size, …)`; as plain data.

    `functions` are those around the model, by their names in assignment 3; None, or absence, for
    one that is not written yet. If all is well, a second model is built with other arguments.
    """

    def stages(model: nn.Module, pad_id: int) -> list[Stage]:
        ids = torch.where(SENTENCES == PAD, pad_id, SENTENCES)
        if pad_id != PAD:
            ids[0, 0] = PAD  # a word like any other
        return _stages(model, ids, LABELS, pad_id, norm_first=pad_id != PAD)

    def alone(model: nn.Module) -> list[Stage]:
        return [_around(model, functions)]

    def training(model: nn.Module) -> list[Stage]:
        return of_training(model, functions.get("training_step"), (SENTENCES, LABELS), SENTENCES)

    return of_built(build, [SENTENCES], stages, alone, training, OTHER)


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
        *of_parts(model, model, padded, pad_id=pad_id, norm_first=norm_first),
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


def of_parts(
    model: nn.Module, asked: nn.Module, *token_ids: Tensor, pad_id: int, norm_first: bool | None
) -> list[Stage]:
    """The checks of the parts that every model of the course has: factors, then the whole.

    `asked` takes the last of `token_ids` alone.
    """
    ids = token_ids[-1]
    scaled = {
        "score scale": partial(scales.score_scale, model),
        "embedding scale": partial(scales.embedding_scale, model, ids, pad_id),
        "sinusoids": partial(scales.sinusoids, model),
    }
    order = (
        {} if norm_first is None else {"norm_first": partial(wiring.norm_first, model, norm_first)}
    )
    return [
        {"layers of their own": partial(stacks.registered, model)},
        {"no dropout in eval()": partial(checks.dropout_in_evaluation, asked, ids)},
        {name: partial(without_gradient, check) for name, check in scaled.items()},
        {
            "layer norm": partial(parts.normalization, model),
            "attention": partial(parts.attention, model),
            "feed-forward": partial(parts.feed_forward, model),
            "embedding": partial(parts.embedding, model, ids),
        },
        {"layers": partial(wiring.layers, model)},
        order,
        {"stacks": partial(stacks.stacks, model, *token_ids)},
        {"masks": partial(ends.masks, model, *token_ids, pad_id=pad_id)},
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


def of_training(
    model: nn.Module, step: Callable[..., Any] | None, batch: tuple[Tensor, ...], *read: Tensor
) -> list[Stage]:
    """The checks of a model in training, which starts with the logits of what it has `read`."""
    with torch.no_grad():
        logits = model.eval()(*read)[0]
    found: list[Stage] = [{"loss at the start": partial(learning.start, logits)}]
    if step:
        found.append({"learns one batch": partial(learning.by_heart, model, step, batch)})
    return found

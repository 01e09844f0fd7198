"""The order of a checklist: stages, from the parts of a model to its training."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from ..data.batching import PAD
from .check import Check, Fault, first_of, listed, tried
from .runs import first_failure
from .scales import initialization

Stage = Mapping[str, Callable[[], Check]]
VOCABULARY = 20
SIZES: dict[str, Any] = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 48}
OTHER: dict[str, Any] = {
    "norm_first": True,
    "pad_id": VOCABULARY - 1,
    "dropout": 0.3,
    "position_scale": 0.5,
}
WAITS = "waits until what is wrong above is right"


def in_order(stages: Sequence[Stage], before: Sequence[Check] = ()) -> list[Check]:
    """The checks of each stage; after one with a fault, or one `before`, the rest only waits.

    A wrong part disturbs whatever contains it, and each later check would blame something else.
    """
    found: list[Check] = []
    for stage in stages:
        wrong = any(check.ok is False for check in (*before, *found))
        for name, check in stage.items():
            found.append(Check(name, None, WAITS, "") if wrong else tried(name, check))
    return found


def of_built(
    build: Callable[..., nn.Module],
    token_ids: Sequence[Tensor],
    stages: Callable[[nn.Module, int], list[Stage]],
    alone: Callable[[nn.Module], list[Stage]],
    training: Callable[[nn.Module], list[Stage]],
    other: Mapping[str, object],
) -> list[dict[str, object]]:
    """The checks of a small untrained model from `build(vocab_size, …)`; as plain data.

    `stages(model, pad_id)` are those of the model, `alone` of functions that need no model of one's
    own, `training` of its training. If all is well, a second model is built with `other` arguments.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        paper, changed = build(VOCABULARY, **SIZES), build(VOCABULARY, **SIZES, **other)
        if failure := first_failure([(paper, {}), (changed, other)], *token_ids):
            return failure  # nothing else can be measured
        own = [of_new(paper, SIZES | {"dropout": 0.1}), *stages(paper, PAD)]
        found = [*in_order(alone(paper)), *restored(paper, own)]
        found += in_order(training(paper), found)
        own = [of_new(changed, {**SIZES, **other}), *stages(changed, VOCABULARY - 1)]
        return with_other_arguments(found, partial(restored, changed, own), other)


def restored(model: nn.Module, stages: list[Stage]) -> list[Check]:
    """The checks of all stages; the model's mode is restored and its gradients are cleared."""
    was_training = model.training
    try:
        model.eval()
        return in_order(stages)
    finally:
        model.zero_grad()
        model.train(was_training)


def with_other_arguments(
    paper: list[Check], check: Callable[[], list[Check]], arguments: Mapping[str, object]
) -> list[dict[str, object]]:
    """`paper`, and what is wrong only in a model built with other `arguments`; as plain data."""
    shown = listed(arguments)
    name = "other arguments"
    if any(one.ok is False for one in paper):
        found = [Check(name, None, WAITS, "")]
    else:
        wrong = [one for one in check() if one.ok is False]
        found = [replace(one, measured=f"{one.measured} (with {shown})") for one in wrong]
        found = found or [Check(name, True, shown, "")]
    return [asdict(one) for one in (*paper, *found)]


def of_new(model: nn.Module, arguments: Mapping[str, object]) -> Stage:
    """The first stage of a model that was just built with `arguments`."""
    return {
        "sizes": partial(sizes, model, arguments),
        "initialization": partial(initialization, model),
    }


def sizes(model: nn.Module, arguments: Mapping[str, object]) -> Check:
    """The parts of a model have the sizes and rates that it was built with."""
    return first_of("sizes", _other_sizes(model, arguments), "as asked for")


def _other_sizes(model: nn.Module, arguments: Mapping[str, object]) -> Iterator[Fault]:
    found: dict[str, list[object]] = {}
    part: Any
    for part in model.modules():
        if isinstance(part, nn.Dropout):
            found.setdefault("dropout", []).append(part.p)
        if hasattr(part, "n_heads"):
            found.setdefault("n_heads", []).append(part.n_heads)
        if hasattr(part, "w_1"):
            found.setdefault("d_ff", []).append(part.w_1.out_features)
        if hasattr(part, "position_scale"):
            found.setdefault("position_scale", []).append(part.position_scale)
        if hasattr(part, "layers"):
            found.setdefault("n_layers", []).append(len(part.layers))
    for name, values in found.items():
        wanted = arguments.get(name)
        other = [value for value in values if value != wanted]
        if wanted is not None and other:
            yield f"{name}={wanted}, but a part has {other[0]}", f"pass `{name}` on"

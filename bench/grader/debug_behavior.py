"""The behavior of a model of the course, in numbers: a mistake that changes none is harmless.

Three training steps, then passes with and without padding and weights, and a cached search, of a
small classifier and a small translator, in the paper's order and with the norm first.
"""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from course_lib.data.batching import PAD
from course_lib.data.pair_batching import END, START

CLOSE = 1e-4
SIZES = {"n_layers": 2, "d_model": 24, "n_heads": 4, "d_ff": 40}
SOURCES = torch.tensor([[7, 9, 11, 5, 8, 6], [9, 5, 10, PAD, PAD, PAD]])
TARGETS = torch.tensor([[START, 9, 7, 6, END], [START, 6, 11, END, PAD]])
Facts = dict[str, Any]


def behavior(names: Mapping[str, Any]) -> Facts:
    """Every number, by what it is of; what was raised, where something was."""
    found: Facts = {}
    for number in range(2):
        for part in (_classifier, _translator):
            torch.manual_seed(number)
            try:
                part(names, bool(number), found)
            except Exception as error:  # a mistake may raise anything
                found[f"{part.__name__} {number} raises"] = type(error).__name__
    return found


def differ(one: Facts, other: Facts) -> bool:
    """Whether two behaviors differ by more than rounding."""
    return one.keys() != other.keys() or any(not _same(one[key], other[key]) for key in one)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        same_type = (one.shape, one.dtype) == (other.shape, other.dtype)
        return same_type and torch.allclose(one.double(), other.double(), CLOSE, CLOSE)
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(one == other)


def _classifier(names: Mapping[str, Any], odd: bool, found: Facts) -> None:
    pooling = "cls" if odd else "mean"
    model = names["EncoderClassifier"](20, **SIZES, norm_first=odd, pooling=pooling)
    _train(names, model, names["training_step"], (SOURCES, torch.tensor([0, 1])), odd, found)
    for key, tokens in {"": SOURCES, ", alone": SOURCES[1:, :3]}.items():
        logits, weights = model(tokens, need_weights=True)
        found[f"classifier {odd}{key}"] = logits
        found |= {f"classifier {odd}{key}: map {i}": one for i, one in enumerate(weights)}
    found[f"classifier {odd}: no map"] = model(SOURCES)[1]


def _translator(names: Mapping[str, Any], odd: bool, found: Facts) -> None:
    model = names["Transformer"](20, **SIZES, norm_first=odd)
    _train(names, model, names["translation_step"], (SOURCES, TARGETS), odd, found)
    for key, (source, target) in {
        "": (SOURCES, TARGETS[:, :3]),
        ", alone": (SOURCES[1:, :3], TARGETS[1:, :4]),
    }.items():
        logits, weights = model(source, target, need_weights=True)
        found[f"translator {odd}{key}"] = logits
        found |= {f"translator {odd}{key}: map {i}": one for i, one in enumerate(weights)}
    found[f"translator {odd}: no map"] = model(SOURCES, TARGETS)[1]
    with torch.no_grad():
        plain = names["encoded"](model, SOURCES)
        found[f"plain step {odd}"] = names["uncached_step"](model)(TARGETS, plain)[0]
        step, state = names["cached_step"](model), names["start_cache"](model, SOURCES)
        for length in range(1, TARGETS.shape[1]):
            found[f"cached step {odd} {length}"], state = step(TARGETS[:, :length], state)


def _train(
    names: Mapping[str, Any], model: Any, step: Any, batch: Any, odd: bool, found: Facts
) -> None:
    optimizer, schedule = names["paper_optimizer"](model, 24, warmup_steps=2)
    for number in range(3):
        torch.manual_seed(number)  # of the dropout
        model.eval()  # as a loop does that evaluates between two steps
        row = step(model, *(given.clone() for given in batch), optimizer, schedule)
        found |= {f"{step.__name__} {odd} {number}: {key}": row[key] for key in row}
    for key, tensor in model.state_dict().items():
        if key.endswith("w_k.bias"):
            continue  # its gradient is nothing but rounding, of which Adam makes a whole step
        found[f"{step.__name__} {odd}: {key}"] = tensor.clone()
    found[f"{step.__name__} {odd}: left"] = all(
        p.grad is None or not p.grad.any() for p in model.parameters()
    )
    model.eval()

"""Checks of a model's stacks: each layer is a part of its own, and reads the one before."""

import copy
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import torch
from torch import Tensor, nn

from .calls import Calls, distinct, watched
from .check import Check, Fault, first_of, same
from .wiring import order_of


def stacks(model: nn.Module, *token_ids: Tensor) -> Check:
    """Each layer is a part of its own, reads the one before, and gets the masks (§3.1)."""
    name = "stacks"
    made: Any = distinct(model)
    found: dict[str, Any] = {key: getattr(made, key, None) for key in ("encoder", "decoder")}
    found = {key: one for key, one in found.items() if hasattr(one, "layers")}
    if not found:
        return Check(name, None, "the model has no encoder with layers", "")
    order = order_of(model)
    faults = (
        fault
        for key, stack in found.items()
        for fault in (*_of_last(key, stack, order), *_of_calls(made, key, stack, token_ids))
    )
    sizes = ", ".join(f"{key} of {len(stack.layers)} layers" for key, stack in found.items())
    return first_of(name, faults, sizes)


def _of_last(key: str, stack: Any, order: str | None) -> Iterator[Fault]:
    last = type(getattr(stack, "norm", None)).__name__
    if (order == "pre-norm") != (last == "LayerNorm") and order and last != "NoneType":
        advice = "pre-norm needs a last LayerNorm, post-norm has none (nn.Identity())"
        yield f"{order}, and the last norm of the {key} is {last}", advice


def registered(model: nn.Module) -> Check:
    """The layers are parts of the model, each with random matrices of its own (§3.1)."""
    return first_of("layers of their own", _shared(model), "every layer")


def _shared(model: nn.Module) -> Iterator[Fault]:
    try:
        copy.deepcopy(model)
    except RuntimeError:  # torch copies no tensor that was computed
        advice = "keep nothing of a call in self: the next one has other inputs"
        yield "a part keeps a tensor that an earlier call computed", advice
    for key in ("encoder", "decoder", "blocks"):
        stack: Any = getattr(model, key, None)
        layers = stack if key == "blocks" else getattr(stack, "layers", None)
        if layers is None:
            continue
        if not isinstance(layers, nn.Module):
            advice = (
                "use nn.ModuleList: in a plain list, neither eval() nor an optimizer finds them"
            )
            yield f"{key}: the layers are a plain {type(layers).__name__}", advice
        path = "blocks" if key == "blocks" else f"{key}.layers"
        owned = [_own(f"{path}.{i}", layer) for i, layer in enumerate(layers)]
        for one, other in combinations(owned, 2):
            yield from _common(one, other)


def _own(path: str, layer: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters of a layer; a table of positions may belong to all layers."""
    tables = [part.weight for part in layer.modules() if isinstance(part, nn.Embedding)]
    return {
        f"{path}.{name}": parameter
        for name, parameter in layer.named_parameters()
        if not any(parameter is table for table in tables)
    }


def _common(one: dict[str, nn.Parameter], other: dict[str, nn.Parameter]) -> Iterator[Fault]:
    """Faults of two layers that have a parameter in common, or begin with the same numbers."""
    for (path, first), (name, second) in product(one.items(), other.items()):
        if first is second:
            advice = "make a new one for each: [layer] * n is n times the same"
            yield f"{name} is {path} itself", advice
        elif torch.equal(first, second) and first.min() < first.max():  # drawn, no zeros or ones
            advice = (
                "draw each layer anew: a deepcopy, or a seed that a layer sets, repeats the numbers"
            )
            yield f"{name} begins with the numbers of {path}", advice


@torch.no_grad()
def _of_calls(made: Any, key: str, stack: Any, token_ids: tuple[Tensor, ...]) -> Iterator[Fault]:
    parts = {"stack": stack} | {f"{i}": layer for i, layer in enumerate(stack.layers)}
    for asked in (True, False):
        with watched(parts) as calls:
            made(*token_ids, need_weights=asked)
        yield from _of_call(key, stack, calls)


def _of_call(key: str, stack: Any, calls: Calls) -> Iterator[Fault]:
    outer = calls.first("stack")
    if outer is None:
        return
    x, others = outer[0], outer[1:-1]  # the last is need_weights
    for i in range(len(stack.layers)):
        given = calls.first(f"{i}")
        if given is None:
            yield f"layer {i + 1} of the {key} is never called", "every layer reads the one before"
            return
        if not same(given[0], x):
            yield (
                f"layer {i + 1} of the {key} does not read layer {i}",
                "pass x from layer to layer",
            )
        for found, wanted in zip(given[1:-1], others, strict=False):
            if wanted is not None and (found is None or not same(found, wanted)):
                advice = "pass the masks, and the memory as it is, to every layer"
                yield f"layer {i + 1} of the {key} gets another mask or memory", advice
        x = calls.returned[f"{i}"][0][0]
    norm = getattr(stack, "norm", None)  # without one, it is not known what comes after the layers
    if norm is not None and not same(calls.returned["stack"][0][0], norm(x)):
        yield f"the {key} does not return its last layer", "norm(x) of the last layer's x, once"
    yield from _of_maps(key, calls)


def _of_maps(key: str, calls: Calls) -> Iterator[Fault]:
    own = [calls.returned[name][0][1] for name in calls.returned if name != "stack"]
    (_, maps), asked = calls.returned["stack"][0], calls.given["stack"][0][-1]
    if not asked:
        if maps is not None or any(one is not None for one in own):
            yield f"the {key} returns weights unasked", "None without need_weights"
        return
    right = isinstance(maps, list | tuple) and len(maps) == len(own)
    if not right or not all(same(one, two) for one, two in zip(maps, own, strict=True)):
        advice = "a list with the weights of every layer, from the input up"
        yield f"the {key} returns other weights than its layers", advice

"""Checks of how a model's parts are connected: what each one reads, and what becomes of its output.

The parts are called as the model calls them, and their arguments are compared. They apply to parts
with the course's names; for other models, `ok` is None.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .calls import Calls, distinct, doubled, drawn, watched
from .check import Check, Fault, same

SUBLAYERS = ("attention", "self_attention", "cross_attention", "feed_forward")
ORDERS = {"post-norm": False, "pre-norm": True}


class NotMeasured(Exception):
    """The parts are not called one after another with whole batches: nothing can be compared."""


def layers(model: nn.Module) -> Check:
    """Every sub-layer reads what it should, and has a residual connection of its own (§3.1)."""
    name = "layers"
    found = {path: part for path, part in distinct(model).named_modules() if _sublayers(part)}
    if not found:
        return Check(name, None, "no part has sub-layers with residual connections", "")
    orders = set()
    for path, layer in found.items():
        try:
            faults = {order: _first_fault(path, layer, order) for order in ORDERS}
        except NotMeasured as error:
            return Check(name, None, str(error), "")
        right = [order for order, fault in faults.items() if fault is None]
        if not right:
            return Check(name, False, *_told(faults, layer))
        orders.update(right)
    if len(orders) > 1:
        return Check(name, False, "both orders", "all layers are post-norm, or all are pre-norm")
    return Check(name, True, f"{len(found)} of x + sub-layer(x), {orders.pop()}", "")


def order_of(model: nn.Module) -> str | None:
    """The order that `layers` found, post-norm or pre-norm, if all layers have it."""
    check = layers(model)
    return check.measured.rpartition(" ")[2] if check.ok else None


def norm_first(model: nn.Module, wanted: bool) -> Check:
    """The layers have the order that the model was built with."""
    name, found = "norm_first", order_of(model)
    if found is None:
        return Check(name, None, "the order of the norms is not known", "")
    advice = "pass `norm_first` on, down to the residual connections; False is the paper's order"
    return Check(name, ORDERS[found] == wanted, f"norm_first={wanted} gives {found}", advice)


def _sublayers(layer: nn.Module) -> list[str]:
    """The sub-layers, in the order of the paper."""
    return [
        name for name in SUBLAYERS if hasattr(layer, name) and hasattr(layer, f"{name}_residual")
    ]


def _dropout(layer: nn.Module, name: str) -> nn.Module | None:
    found = getattr(getattr(layer, f"{name}_residual"), "dropout", None)
    return found if isinstance(found, nn.Dropout) else None


def _told(faults: dict[str, Fault | None], layer: Any) -> Fault:
    """The fault of the order that the layer itself names, or the paper's."""
    first = bool(getattr(layer.feed_forward_residual, "norm_first", False))
    fault = faults["pre-norm" if first else "post-norm"]
    assert fault is not None
    return fault


def _first_fault(path: str, layer: Any, order: str) -> Fault | None:
    return next(_Layer(path, layer, ORDERS[order]).faults(), None)


@dataclass
class _Layer:
    """A layer whose sub-layers return random tensors, and whose dropouts double them."""

    path: str
    layer: Any
    norm_first: bool

    @torch.no_grad()
    def faults(self) -> Iterator[Fault]:
        names, layer = _sublayers(self.layer), self.layer
        width = layer.feed_forward_residual.norm.weight.shape[0]
        x, memory = (drawn(layer, 2, n, width, seed=n) for n in (5, 4))
        masks = [drawn(layer, 2, 1, 5, n, seed=9 + n) > 0 for n in (5, 4)]
        added = {name: drawn(layer, 2, 5, width, seed=i) for i, name in enumerate(names)}
        crossed = "cross_attention" in names
        given = (x, memory, *masks) if crossed else (x, masks[0])
        parts = {name: getattr(layer, name) for name in names}
        parts |= {
            f"dropout of {name}": dropout
            for name in names
            if isinstance(dropout := _dropout(layer, name), nn.Dropout)
        }
        instead: dict[str, Any] = {name: _returns(added[name]) for name in names}
        instead |= {name: doubled for name in parts if name not in names}
        for training in (True, False) if len(parts) == 2 * len(names) else (False,):
            with watched(parts, instead) as calls:
                output = layer.train(training)(*given, need_weights=True)[0]
            yield from self._of_call(calls, x, memory, masks, added, output)

    def _of_call(
        self,
        calls: Calls,
        x: Tensor,
        memory: Tensor,
        masks: list[Tensor],
        added: dict[str, Tensor],
        output: Tensor,
    ) -> Iterator[Fault]:
        names, state = list(added), x
        for name in names:
            read = self._norm(name, state) if self.norm_first else state
            other = memory if name == "cross_attention" else read
            mask = masks[name == "cross_attention"]
            yield from self._reads(name, calls, [read, other, other, mask])
            yield from self._drops(name, calls, added[name])
            state = self._after(name, state, self._dropped(name, added))
        if not same(output, state):
            yield self._of_sum(x, added, output)

    def _dropped(self, name: str, added: dict[str, Tensor]) -> Tensor:
        """The output of a sub-layer as it arrives: twice as much, if its dropout is a part."""
        return 2 * added[name] if _dropout(self.layer, name) is not None else added[name]

    def _norm(self, name: str, x: Tensor) -> Tensor:
        normed: Tensor = getattr(self.layer, f"{name}_residual").norm(x)
        return normed

    def _after(self, name: str, x: Tensor, added: Tensor, kept: float = 1.0) -> Tensor:
        """x after a sub-layer that returned `added`, with the residual connection or without."""
        total = kept * x + added
        return total if self.norm_first else self._norm(name, total)

    def _reads(self, name: str, calls: Calls, expected: list[Tensor]) -> Iterator[Fault]:
        given = calls.first(name)
        if given is None or given[0].shape != expected[0].shape:
            raise NotMeasured(f"{self.path} does not call its {name} with whole batches")
        source = "what its residual connection's `enter` returns"
        for what, found, wanted in zip(
            ("queries", "keys", "values", "mask"), given, expected, strict=False
        ):
            if same(found, wanted):
                continue
            if name == "feed_forward":
                yield f"{self.path}: {name} reads another x", f"it reads {source}"
            elif what == "mask":
                yield f"{self.path}: {name} does not get its mask", "pass on the mask that came in"
            elif name == "cross_attention" and what != "queries":
                yield (
                    f"{self.path}: {name}: other {what}",
                    "keys and values are the memory, as it is",
                )
            else:
                yield f"{self.path}: {name}: other {what}", f"they are {source}"
            return

    def _drops(self, name: str, calls: Calls, added: Tensor) -> Iterator[Fault]:
        dropout = f"dropout of {name}"
        if dropout in calls.given and not same(calls.first(dropout)[0], added):  # type: ignore[index]
            advice = "§5.4: dropout to the output of each sub-layer, before it is added"
            yield f"{self.path}: {dropout} drops something else", advice

    def _of_sum(self, x: Tensor, added: dict[str, Tensor], output: Tensor) -> Fault:
        """Which simple mistake explains the output: a residual or a dropout that is missing."""
        for missing in added:
            state, undropped = x, x
            for name, one in added.items():
                dropped = self._dropped(name, added)
                state = self._after(name, state, dropped, kept=float(name != missing))
                undropped = self._after(name, undropped, one if name == missing else dropped)
            if same(output, state):
                advice = "x is added to what the sub-layer returns"
                return f"{self.path}: {missing} has no residual connection", advice
            if same(output, undropped):
                advice = "§5.4: dropout to the output of each sub-layer, before it is added"
                return f"{self.path}: the output of {missing} is not dropped", advice
        advice = "post-norm is LayerNorm(x + y), pre-norm x + y, where y is what the sub-layer "
        advice += "returns for what `enter` gives; each has a residual connection of its own"
        return f"{self.path}: what comes out is another sum", advice


def _returns(added: Tensor) -> Any:
    return lambda _, output: (added, *output[1:]) if isinstance(output, tuple) else added

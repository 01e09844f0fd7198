"""Gradient checkpointing: layers are computed again instead of being kept (Chen et al. 2016).

    with recomputed(model):
        loss = model(…)        # keeps the input of each layer, and nothing of what is inside it
    loss.backward()            # runs each layer again, then backward through it

The model, its state dict and its components stay as they are.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from torch import nn
from torch.utils.checkpoint import checkpoint


@contextmanager
def recomputed(model: nn.Module) -> Iterator[None]:
    """Within the context, a forward pass keeps only the inputs of the model's layers.

    The layers are the entries of its `nn.ModuleList`s. Gradients are the same, because dropout
    draws the same numbers again. Raises ValueError for a model without such a list.
    """
    layers: list[Any] = list(_layers(model))
    if not layers:
        raise ValueError(
            f"{type(model).__name__} has no nn.ModuleList, so there are no layers to compute "
            "again: train it without `recompute`"
        )
    for layer in layers:
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward  # its class has the one from before


def _layers(model: nn.Module) -> Iterator[nn.Module]:
    """The entries of the outermost `nn.ModuleList`s."""
    for part in model.children():
        yield from part if isinstance(part, nn.ModuleList) else _layers(part)

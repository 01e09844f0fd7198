"""The bare matrix products of a training step: no step with these products can be faster."""

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
PRODUCTS = {
    *(aten.mm.default, aten.bmm.default),
    *(aten.addmm.default, aten.addmm_.default, aten.baddbmm.default),
}


class _Products(TorchDispatchMode):
    """Notes each matrix product, with tensors as large and as laid out as those it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[Callable[..., Tensor], list[Tensor]]] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if function in PRODUCTS:
            like = [torch.empty_strided(x.shape, x.stride()).normal_() for x in args]
            self.found.append((function, like))
        return function(*args, **(kwargs or {}))


def of_step(step: Callable[[], object]) -> Callable[[], float]:
    """Take the products of one step, forward and backward; the result does them once more.

    It returns their CPU time in seconds. Products within a fused kernel are not seen.
    """
    with _Products() as products:
        step()

    def again() -> float:
        started = time.process_time()
        for function, tensors in products.found:
            function(*tensors)
        return time.process_time() - started

    return again

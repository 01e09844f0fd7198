"""Training steps of two models that do the same work, timed in turns beside their bare products.

No step can be faster than its matrix products alone.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from bench.record import Measures, of_rows

aten = torch.ops.aten
PRODUCTS = {
    *(aten.mm.default, aten.bmm.default),
    *(aten.addmm.default, aten.addmm_.default, aten.baddbmm.default),
}


Loss = Callable[[Tensor, Tensor], Tensor]
Batches = Sequence[tuple[Tensor, Tensor]]


class Contender(NamedTuple):
    """A model in training with its loss of a batch; with `max_norm`, gradients are clipped."""

    model: nn.Module
    loss: Loss
    optimizer: torch.optim.Optimizer
    max_norm: float | None = None

    @classmethod
    def of(cls, model: nn.Module, loss: Loss, max_norm: float | None = None) -> "Contender":
        return cls(model.train(), loss, torch.optim.AdamW(model.parameters(), lr=1e-4), max_norm)

    def seconds(self, batches: Batches) -> float:
        """CPU time of one training step on each batch."""
        started = time.process_time()
        for batch in batches:
            self.loss(*batch).backward()
            if self.max_norm is not None:
                nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            self.optimizer.zero_grad()
        return time.process_time() - started


def compared(
    ours: Contender, theirs: Contender, batches: Batches, tokens: int, rounds: int, speedup: str
) -> Measures:
    """Measures of our steps on batches of so many tokens; the one over theirs is `speedup`."""
    products = of_step(partial(ours.seconds, batches))
    rows = []
    for _ in range(rounds):
        own, other = (contender.seconds(batches) for contender in (ours, theirs))
        rows.append(
            {
                speedup: other / own,
                "step_to_products_ratio": own / products(),
                "tokens_per_second": tokens / own,
            }
        )
    return of_rows(rows)


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

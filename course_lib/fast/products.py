"""Matrix products of 32 bits on a CPU by oneDNN, where torch's usual library is the slower one.

torch multiplies by MKL. On AMD's processors MKL does not use the widest instructions, and takes
longer than oneDNN, which torch has, too. There `FastLinear` and `times` go by oneDNN, forward and
backward; elsewhere, and for small products, they are torch's. `course bench encoder` shows what is
gained.
"""

import functools
import os
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

SMALL = 2**20  # multiplications: below, calling oneDNN costs more than it saves

# oneDNN prepares a program of a megabyte or more for each shape, which takes as long as a product
# of some hundred rows. Batches have any number of rows: in blocks of 64 their shapes are few. 1,024
# programs would be kept; the variables are read when oneDNN is first used.
BLOCK = 64
PREPARED = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "256", "LRU_CACHE_CAPACITY": "256"}


def times(
    x: Float[Tensor, "rows n"],
    weight: Float[Tensor, "columns n"],
    bias: Float[Tensor, " columns"] | None = None,
) -> Float[Tensor, "rows columns"]:
    """`x @ weight.T + bias`, without gradients; tensors may be transposed."""
    if _suits(x, weight):
        x, weight = _in_order(x), _in_order(weight)
        product: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
        return product
    return F.linear(x, weight, bias)


def linear(
    x: Float[Tensor, "*batch n_in"],
    weight: Float[Tensor, "n_out n_in"],
    bias: Float[Tensor, " n_out"] | None = None,
) -> Float[Tensor, "*batch n_out"]:
    """`F.linear`, to 1e-5."""
    if torch.is_autocast_enabled("cpu") or not _suits(x, weight):
        return F.linear(x, weight, bias)
    y: Tensor = _Linear.apply(x.flatten(0, -2), weight, bias)
    return y.unflatten(0, x.shape[:-1])


class FastLinear(nn.Linear):
    """`nn.Linear` by `linear`."""

    def forward(self, x: Float[Tensor, "*batch n_in"]) -> Float[Tensor, "*batch n_out"]:
        return linear(x, self.weight, self.bias)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return times(_whole_blocks(x), weight, bias)[: len(x)]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        outer_filled = _whole_blocks(outer)
        return (
            times(outer_filled, weight.T)[: len(outer)] if of_x else None,
            _transposed_times(outer_filled, _whole_blocks(x)) if of_weight else None,
            outer.sum(0) if of_bias else None,
        )


def add_transposed_times(
    total: Float[Tensor, "rows columns"],
    left: Float[Tensor, "n rows"],
    right: Float[Tensor, "n columns"],
) -> None:
    """Add `left.T @ right` to `total` in place."""
    if _suits(left.T, right.T):
        total += _transposed_times(left, right)
    else:
        total.addmm_(left.T, right)


def _transposed_times(left: Tensor, right: Tensor) -> Tensor:
    """`left.T @ right`: the gradient of a weight. oneDNN is fastest with the longer side last."""
    if left.shape[1] > right.shape[1]:
        return times(right.T, left.T).T
    return times(left.T, right.T)


def _whole_blocks(x: Tensor) -> Tensor:
    """`x` with rows of zeros below it, up to a multiple of `BLOCK`."""
    return F.pad(x, (0, 0, 0, -len(x) % BLOCK))


def _in_order(x: Tensor) -> Tensor:
    """`x` with its rows or its columns in order, as oneDNN wants them: it takes a hundred times as
    long with others, such as the repeated row that is the gradient of a sum."""
    return x if min(x.stride()) == 1 else x.contiguous()


def _suits(x: Tensor, weight: Tensor) -> bool:
    large = x.numel() * weight.shape[0] >= SMALL
    plain = x.device.type == "cpu" and x.dtype == weight.dtype == torch.float32
    return large and plain and onednn_is_faster()


@functools.cache
def onednn_is_faster() -> bool:
    """Whether torch has both libraries, and the processor is AMD's; then sets `PREPARED`."""
    if not (torch.backends.mkl.is_available() and torch.backends.mkldnn.is_available()):
        return False
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        described = os.environ.get("PROCESSOR_IDENTIFIER", "")  # on Windows
    if "AuthenticAMD" not in described:
        return False
    for name, kept in PREPARED.items():
        os.environ.setdefault(name, kept)
    return True

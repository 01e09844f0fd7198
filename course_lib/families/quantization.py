"""Weights in few bits: whole numbers, and one scale for each group of neighbors in a row.

small = quantized(model, bits=4)
bytes_of(model, bits=4) / bytes_of(model)
"""

import copy
from typing import TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Model = TypeVar("Model", bound=nn.Module)
GROUP = 32  # weights that share a scale


def to_integers(
    weight: Float[Tensor, "rows columns"], bits: int, group: int = GROUP
) -> tuple[Int[Tensor, "rows groups group"], Float[Tensor, "rows groups 1"]]:
    """`(integers, scales)`: the nearest multiples of a scale, from −(2^(bits − 1) − 1) to that.

    A group's largest weight decides its scale, so one outlier makes its whole group coarse.
    Raises ValueError if `group` does not divide the columns, and for bits outside 2 to 8.
    """
    if weight.shape[1] % group or not 2 <= bits <= 8:
        raise ValueError(
            f"{weight.shape[1]} columns in groups of {group}, {bits} bits: "
            "give a group that divides the columns, and 2 to 8 bits"
        )
    largest = 2 ** (bits - 1) - 1
    grouped = weight.unflatten(1, (-1, group))
    scales = grouped.abs().amax(dim=-1, keepdim=True).clamp(min=1e-12) / largest
    return (grouped / scales).round().to(torch.int8), scales


def from_integers(
    integers: Int[Tensor, "rows groups group"], scales: Float[Tensor, "rows groups 1"]
) -> Float[Tensor, "rows columns"]:
    """The weights that a product is computed with; off by at most half a scale."""
    return (integers * scales).flatten(1)


@torch.no_grad()
def quantized(model: Model, bits: int, group: int = GROUP) -> Model:
    """A copy of the model whose matrices went through `to_integers` and back.

    Norms and biases, few numbers, stay as they are.
    """
    model = copy.deepcopy(model)
    for weight in model.parameters():
        if weight.dim() == 2:
            weight.copy_(from_integers(*to_integers(weight, bits, group)))
    return model


def bytes_of(model: nn.Module, bits: int = 32, group: int = GROUP) -> int:
    """The bytes of a model's weights, with `bits` for each number in a matrix.

    Below 32 bits, each group of a matrix has a scale of 16 bits. Other numbers take 32 bits.
    """
    total = 0
    for weight in model.parameters():
        each = bits if weight.dim() == 2 else 32
        scales = 16 * weight.numel() // group if each < 32 else 0
        total += (each * weight.numel() + scales) // 8
    return total

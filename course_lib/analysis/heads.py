"""Measurements on multi-head attention: parameters, gradients, diversity of the heads.

Paper statement R23 (lectures/paper_audit.md).
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def parameter_counts(d_model: int, n_heads: int, bias: bool = True) -> tuple[int, int]:
    """`(weights, biases)`: the number of parameters of multi-head attention (§3.2.2).

    Counted from the paper's matrices, one set per head, with d_k = d_v = d_model / h.
    """
    d_k = d_model // n_heads
    # §3.2.2 — W_i^Q, W_i^K, W_i^V of d_model × d_k for each head, W^O of h·d_v × d_model
    weights = n_heads * 3 * d_model * d_k + n_heads * d_k * d_model
    biases = n_heads * 3 * d_k + d_model if bias else 0
    return weights, biases


def _probe_loss(output: Float[Tensor, "..."]) -> Float[Tensor, ""]:
    """A scalar to differentiate: the output weighted by a fixed ramp from −1 to 1.

    A plain sum does not work: after layer normalization it is constant, and so is the sum of
    squares.
    """
    ramp = torch.linspace(-1, 1, output.numel(), dtype=output.dtype, device=output.device)
    return (output * ramp.view(output.shape)).sum()


def gradient_norms(module: nn.Module, *inputs: Tensor) -> dict[str, float]:
    """The Euclidean norm of the gradient of `_probe_loss` for each trained parameter, by name.

    If the module returns a tuple, its first element is used. A parameter that the output does not
    depend on gets 0.0. The call has no side effects: no `.grad` is written, no hook stays behind,
    every submodule stays in its mode, and no random number is drawn but by the module itself.
    """
    result = module(*inputs)
    loss = _probe_loss(result[0] if isinstance(result, tuple) else result)
    trained = {name: p for name, p in module.named_parameters() if p.requires_grad}
    gradients = torch.autograd.grad(loss, list(trained.values()), allow_unused=True)
    return {
        name: 0.0 if gradient is None else float(gradient.norm())
        for name, gradient in zip(trained, gradients, strict=True)
    }


def head_diversity(
    weights: Float[Tensor, "*batch n_heads n_q n_k"], mask: Bool[Tensor, "..."] | None = None
) -> float:
    """Mean Jensen-Shannon divergence, in bits, between the weights of two different heads.

    0 when all heads have the same weights, 1 when no two attend to a common key. The mean is over
    all pairs of heads and all query rows that `mask` (broadcastable to `weights`, True = may
    attend) leaves at least one key in both heads; rows that are all False, such as those of padding
    queries, do not count. Raises ValueError for fewer than two heads, or no row that counts.
    """
    n_heads = weights.shape[-3]
    if n_heads < 2:
        raise ValueError(f"{n_heads} head is not a pair: give the weights of two or more heads")

    def entropy(p: Tensor) -> Tensor:
        return -torch.xlogy(p, p).sum(dim=-1) / math.log(2)  # xlogy: 0·log 0 is 0

    first, second = torch.triu_indices(n_heads, n_heads, offset=1, device=weights.device)
    p = weights.index_select(-3, first)
    q = weights.index_select(-3, second)
    divergence = entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2
    if mask is None:
        return float(divergence.mean())
    open_rows = mask.expand_as(weights).any(dim=-1)
    counts = open_rows.index_select(-2, first) & open_rows.index_select(-2, second)
    if not counts.any():
        raise ValueError("every row is fully masked: give a mask that leaves a query some key")
    return float(divergence[counts].mean())

"""Rotary positions: queries and keys are turned by an angle that grows with their position.

The product of a turned query and a turned key depends on their distance alone (Su et al. 2021,
arXiv:2104.09864, section 3.2): no vector is added to the embeddings, and no table can end.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def rotate(
    x: Float[Tensor, "batch n_heads n d_k"], positions: Int[Tensor, "batch n"]
) -> Float[Tensor, "batch n_heads n d_k"]:
    """Turn the pair of features (i, i + d_k / 2) of each row by `position / 10000^(2i / d_k)`.

    Raises ValueError for an odd number of features.
    """
    if x.shape[-1] % 2:
        raise ValueError(f"{x.shape[-1]} features a head: give an even number, to turn in pairs")
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-torch.arange(half, device=x.device) / half)
    angles = positions[:, None, :, None] * frequencies
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

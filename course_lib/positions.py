"""Position encodings: the sinusoids of the paper, and three alternatives.

Attention is permutation equivariant, so without one of these a sentence is a bag of words.

Paper statement R38 (lectures/paper_audit.md).
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def sinusoidal_positions(n_positions: int, d_model: int) -> Float[Tensor, "n_positions d_model"]:
    """The table of sinusoids (§3.5): a row for each position, from 0.

    Feature 2i is `sin(position / 10000^(2i / d_model))`, feature 2i + 1 the cosine of the same
    angle. An odd `d_model` ends with a sine. Computed in float32, the frequencies by `exp`.
    """
    position = torch.arange(n_positions, dtype=torch.float32)[:, None]
    # §3.5 — 10000^(2i / d_model): wavelengths from 2π to 10000 · 2π
    even = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle = position * torch.exp(-math.log(10000.0) * even / d_model)
    table = torch.empty(n_positions, d_model)
    # §3.5 — PE(pos, 2i) = sin(…), PE(pos, 2i + 1) = cos(…)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle[:, : d_model // 2])
    return table


class LearnedPositions(nn.Module):
    """A learned vector for each position (§3.5; Table 3, row E), added to the input.

    Raises ValueError for an input longer than `max_length`: later positions have no vector.
    """

    def __init__(self, d_model: int, max_length: int = 512) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "batch n d_model"]:
        n, longest = x.shape[-2], len(self.table)
        if n > longest:
            raise ValueError(
                f"{n} tokens, but positions were learned for {longest}: "
                f"truncate the input, or use sinusoidal or relative positions"
            )
        return x + self.table[:n]


class RelativeBias(nn.Module):
    """The relative bias of T5 (Raffel et al. 2020, section 2.1): added to the scores of each head.

    Distances between query and key fall into `n_buckets`, half of them for keys after the query.
    In each half, the nearest distances have a bucket each and the rest grow logarithmically up to
    `max_distance`; everything farther shares the last bucket, so any length can be read.
    Raises ValueError for fewer than 4 buckets, and for a `max_distance` within the nearest ones.
    """

    def __init__(self, n_heads: int, n_buckets: int = 32, max_distance: int = 128) -> None:
        super().__init__()
        if n_buckets < 4 or max_distance <= n_buckets // 4:
            raise ValueError(
                f"n_buckets = {n_buckets}, max_distance = {max_distance}: give at least 4 buckets, "
                "and a distance above a quarter of their number"
            )
        self.n_buckets, self.max_distance = n_buckets, max_distance
        self.bias = nn.Embedding(n_buckets, n_heads)

    def buckets(self, n_queries: int, n_keys: int) -> Int[Tensor, "n_queries n_keys"]:
        """The bucket of every pair of positions."""
        device = self.bias.weight.device
        offset = (
            torch.arange(n_keys, device=device) - torch.arange(n_queries, device=device)[:, None]
        )
        half = self.n_buckets // 2
        exact = half // 2
        distance = offset.abs()
        ratio = torch.log(distance.clamp(min=1) / exact) / math.log(self.max_distance / exact)
        far = (exact + ratio * (half - exact)).long().clamp(max=half - 1)
        return torch.where(distance < exact, distance, far) + half * (offset > 0)

    def forward(self, n_queries: int, n_keys: int) -> Float[Tensor, "n_heads n_queries n_keys"]:
        """The bias to add to the scores of each head."""
        return self.bias(self.buckets(n_queries, n_keys)).permute(2, 0, 1)


def rotate(
    x: Float[Tensor, "batch n_heads n d_k"], positions: Int[Tensor, "batch n"]
) -> Float[Tensor, "batch n_heads n d_k"]:
    """Rotary positions (Su et al. 2021, section 3.2): turn queries and keys instead of adding.

    The pair of features (i, i + d_k / 2) of each row is turned by `position / 10000^(2i / d_k)`, so
    the product of a query and a key depends on their distance alone.
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

"""Small sentence classifiers with one fault each: test cases for assignment 3's `diagnose`.

    model = broken_classifier("pads pooled", seed=3)
    logits, weights = model(token_ids)

They share only the interface of the assignment's encoder, none of its code. All use mean pooling.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import checklist
from .check import Check

FAULTS = (
    "healthy",
    "dropout in evaluation",
    "mask after softmax",
    "pads attended",
    "pads pooled",
    "future hidden",
    "no positions",
)
VOCABULARY, LONGEST, WIDTH, HEADS = 50, 512, 16, 2


def broken_classifier(fault: str, seed: int) -> nn.Module:
    """An untrained classifier with `fault`, one of `FAULTS`, and random weights from `seed`.

    It takes token ids below 50, padded with 0, and returns `(logits, weights)`: one tensor
    `(batch, heads, n, n)` per layer, the weights that multiply the values. Even seeds are
    post-norm, odd ones pre-norm. Raises ValueError for an unknown fault.
    """
    if fault not in FAULTS:
        raise ValueError(f"no fault is called {fault!r}: choose one of {', '.join(FAULTS)}")

    def look(scores: Tensor, real: Tensor) -> Tensor:
        """The attention weights of one layer, from its scores (batch, heads, n, n)."""
        n = scores.shape[-1]
        if fault == "pads attended":
            return scores.softmax(-1)
        if fault == "mask after softmax":
            return scores.softmax(-1) * real[:, None, None]
        allowed = real[:, None, None].expand_as(scores)
        if fault == "future hidden":
            allowed = allowed & torch.ones(n, n, dtype=torch.bool, device=scores.device).tril()
        return torch.where(allowed, scores, -1e9).softmax(-1) * allowed

    def place(x: Tensor, places: Tensor) -> Tensor:
        return x if fault == "no positions" else x + places

    def pool(x: Tensor, real: Tensor) -> Tensor:
        counted = torch.ones_like(real) if fault == "pads pooled" else real
        share = counted / counted.sum(-1, keepdim=True).clamp(min=1)
        return torch.einsum("bn,bnd->bd", share, x)

    def drop(x: Tensor, training: bool) -> Tensor:
        return F.dropout(x, 0.1, training or fault == "dropout in evaluation")

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return _Classifier(look, place, pool, drop, norm_first=seed % 2 == 1)


class _Classifier(nn.Module):
    """Two layers of attention and a small network, built from the four given functions."""

    def __init__(
        self,
        look: Callable[[Tensor, Tensor], Tensor],
        place: Callable[[Tensor, Tensor], Tensor],
        pool: Callable[[Tensor, Tensor], Tensor],
        drop: Callable[[Tensor, bool], Tensor],
        norm_first: bool,
    ) -> None:
        super().__init__()
        self._steps = look, place, pool, drop
        self._norm_first = norm_first
        self.words = nn.Embedding(VOCABULARY, WIDTH, padding_idx=0)
        self.places = nn.Embedding(LONGEST, WIDTH)
        self.projections = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(2))
        self.networks = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 32), nn.GELU(), nn.Linear(32, WIDTH)) for _ in range(2)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(4))
        self.answer = nn.Linear(WIDTH, 2)

    def forward(self, token_ids: Tensor, need_weights: bool = True) -> tuple[Tensor, list[Tensor]]:
        look, place, pool, drop = self._steps
        real = token_ids != 0
        x = place(self.words(token_ids), self.places.weight[: token_ids.shape[1]])
        maps = []
        for number, (projection, network) in enumerate(
            zip(self.projections, self.networks, strict=True)
        ):
            before, after = self.norms[2 * number], self.norms[2 * number + 1]
            seen = before(x) if self._norm_first else x
            q, k, v = projection(seen).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
            maps.append(look(q @ k.mT / q.shape[-1] ** 0.5, real))
            x = x + drop((maps[-1] @ v).transpose(1, 2).flatten(2), self.training)
            if self._norm_first:
                x = x + drop(network(after(x)), self.training)
            else:
                x = before(x)
                x = after(x + drop(network(x), self.training))
        return self.answer(pool(x, real)), maps if need_weights else []


def checked(seed: int = 0) -> dict[str, list[Check]]:
    """The checklist for every model of `FAULTS`."""
    token_ids = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, 0, 0, 0]])
    labels = torch.tensor([0, 1])
    return {
        fault: checklist.run(broken_classifier(fault, seed), token_ids, labels) for fault in FAULTS
    }

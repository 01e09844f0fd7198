"""The optimizers of the recipes and of the study, by name: a new one is added here alone.

Paper statements R47, R51 (lectures/paper_audit.md).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

BETAS = (0.9, 0.98)  # §5.3 — "β1 = 0.9, β2 = 0.98"
MOMENTUM, SHARE = 0.95, 0.5  # of Muon: SHARE · √(longer side) makes its rate one for AdamW, too
Make = Callable[[nn.Module, float, float], torch.optim.Optimizer]


def adam(model: nn.Module, rate: float, weight_decay: float = 0.0) -> torch.optim.Adam:
    """The paper's (§5.3), which decays no weights."""
    if weight_decay:
        raise ValueError(f"weight_decay = {weight_decay}: choose adamw, or 0 for the paper's adam")
    return torch.optim.Adam(model.parameters(), lr=rate, betas=BETAS, eps=1e-9)


def adamw(model: nn.Module, rate: float, weight_decay: float = 0.01) -> torch.optim.AdamW:
    """AdamW with the paper's β; biases and norms have no weight decay."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    groups: list[dict[str, Any]] = [{"params": matrices}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=BETAS, weight_decay=weight_decay, fused=True)


class Muon(torch.optim.AdamW):
    """AdamW, but each matrix of a layer takes the step U Vᵀ of its mean gradient M = U S Vᵀ.

    Keller Jordan (2024), "Muon": M has few large singular values, so a step along M changes few
    directions, and U Vᵀ changes all of them equally. Embeddings are rows to look up, no maps of
    vectors: they, the biases and the norms are AdamW's. A step costs some products of the weights'
    size, however many tokens the batch has.
    """

    def __init__(self, model: nn.Module, rate: float, weight_decay: float) -> None:
        tables = {id(m.weight) for m in model.modules() if isinstance(m, nn.Embedding)}
        everything = list(model.parameters())
        matrices = [p for p in everything if p.ndim == 2 and id(p) not in tables]
        groups: list[dict[str, Any]] = [
            {"params": matrices},
            {"params": [p for p in everything if id(p) in tables]},
            {"params": [p for p in everything if p.ndim != 2], "weight_decay": 0.0},
        ]
        super().__init__(groups, lr=rate, betas=BETAS, weight_decay=weight_decay, fused=True)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """One step; the gradients of the matrices are cleared, so that AdamW leaves these alone."""
        group = self.param_groups[0]
        alike: dict[torch.Size, list[tuple[Tensor, Tensor]]] = defaultdict(list)
        for matrix in group["params"]:
            if matrix.grad is not None:
                alike[matrix.shape].append((matrix, self._mean(matrix, matrix.grad)))
        for shape, found in alike.items():
            steps = orthogonal(torch.stack([mean for _, mean in found]))
            length = group["lr"] * SHARE * max(shape) ** 0.5
            for (matrix, _), step in zip(found, steps, strict=True):
                matrix.mul_(1 - group["lr"] * group["weight_decay"]).sub_(step, alpha=length)
                matrix.grad = None
        return super().step(closure)

    def _mean(self, matrix: Tensor, gradient: Tensor) -> Tensor:
        """The moving average of the gradients, with the last one counted again (Nesterov)."""
        state = self.state[matrix]
        if not state:  # AdamW expects a step in every state that it loads
            state |= {"step": torch.tensor(0.0), "mean": torch.zeros_like(matrix)}
        state["mean"].lerp_(gradient, 1 - MOMENTUM)
        return gradient.lerp(state["mean"], MOMENTUM)


def orthogonal(x: Float[Tensor, "n rows columns"]) -> Float[Tensor, "n rows columns"]:
    """U Vᵀ of each X = U S Vᵀ, roughly: singular values of 0.7 to 1.2 in place of S.

    Without a decomposition: a polynomial of XXᵀ, applied five times, draws all of them to 1.
    """
    if x.shape[1] > x.shape[2]:
        return orthogonal(x.mT).mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)  # now none is above 1
    a, b, c = 3.4445, -4.7750, 2.0315  # Jordan's: steep at 0, and never far from 1 again
    for _ in range(5):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x


OPTIMIZERS: Mapping[str, Make] = {"adam": adam, "adamw": adamw, "muon": Muon}

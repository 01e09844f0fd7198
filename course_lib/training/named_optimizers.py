"""The optimizers of the recipes and of the study, by name: a new one is added here alone.

Paper statements R47, R51 (lectures/paper_audit.md).
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

BETAS = (0.9, 0.98)  # §5.3 — "β1 = 0.9, β2 = 0.98"
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


OPTIMIZERS: Mapping[str, Make] = {"adam": adam, "adamw": adamw}

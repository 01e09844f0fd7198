"""Style: the mask is added as a large negative number; longer signatures; warnings."""

import warnings

import torch
from torch import nn


def split_heads(x, n_heads, name="x"):
    batch, n, width = x.size()
    if width % n_heads:
        raise ValueError(f"{name}: {width} % {n_heads} != 0")
    return x.contiguous().view(batch, n, n_heads, width // n_heads).permute(0, 2, 1, 3).contiguous()


def merge_heads(x):
    x = x.permute(0, 2, 1, 3).contiguous()
    return x.view(*x.size()[:2], -1)


class LayerNorm(nn.Module):
    """ε is a buffer, so that it moves to the device with the rest."""

    def __init__(self, d_model, eps=1e-6, verbose=False):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.register_buffer("epsilon", torch.tensor(float(eps)), persistent=False)

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.pow(2).mean(-1, keepdim=True)
        return self.weight * centred / (variance + self.epsilon) ** 0.5 + self.bias


def parameter_counts(d_model, n_heads, bias=True, d_k=None):
    d_k = d_model / n_heads if d_k is None else d_k
    matrices = {"q": (d_model, d_k), "k": (d_model, d_k), "v": (d_model, d_k)}
    per_head = sum(rows * columns for rows, columns in matrices.values())
    weights = round(n_heads * per_head + n_heads * d_k * d_model)
    return [weights, round(n_heads * d_k * 3 + d_model) if bias else 0]


def gradient_norms(module, *inputs):
    """backward() on .grad, which is then put back as it was."""
    kept = {p: p.grad for p in module.parameters()}
    for p in kept:
        p.grad = None
    try:
        result = module(*inputs)
        _probe_loss(result[0] if isinstance(result, tuple) else result).backward()
        return {
            name: float(torch.linalg.norm(p.grad)) if p.grad is not None else 0.0
            for name, p in module.named_parameters()
            if p.requires_grad
        }
    finally:
        for p, grad in kept.items():
            p.grad = grad


def head_diversity(weights, mask=None):
    """Jensen-Shannon as two Kullback-Leibler divergences from the mixture, by kl_div in nats."""
    if weights.size(-3) < 2:
        warnings.warn("fewer than two heads", stacklevel=2)
        raise ValueError("fewer than two heads")
    pairs = torch.combinations(torch.arange(weights.size(-3), device=weights.device))
    p, q = (weights.index_select(-3, pairs[:, side]) for side in (0, 1))
    log_m = ((p + q) / 2).clamp_min(1e-38).log()
    nats = sum(nn.functional.kl_div(log_m, x, reduction="none").sum(-1) for x in (p, q)) / 2
    if mask is not None:
        each = mask.expand(weights.shape).any(-1)
        rows = each.index_select(-2, pairs[:, 0]) * each.index_select(-2, pairs[:, 1])
        if rows.sum() == 0:
            raise ValueError("no rows")
        nats = nats[rows]
    return nats.mean().div(torch.log(torch.tensor(2.0, dtype=nats.dtype))).item()

"""Style: as short as it gets; walrus, lambdas, chained methods, definitions that return tuples."""

import torch
from torch import nn


def attention(query, key, value, mask=None, dropout=None):
    if (query.shape[-1], key.shape[-2]) != (key.shape[-1], value.shape[-2]):
        raise ValueError(f"{[*query.shape]} {[*key.shape]} {[*value.shape]}")
    s = query @ key.mT / query.shape[-1] ** 0.5
    w = s.softmax(-1) if mask is None else s.where(mask, s.new_tensor(-1e9)).softmax(-1) * mask
    return (dropout(w) if dropout else w) @ value, w


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError(x.shape, n_heads)
    return x.unflatten(-1, (n_heads, -1)).movedim(2, 1)


def merge_heads(x):
    return x.movedim(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(d_model, n_heads)
        make = lambda: nn.Linear(d_model, d_model, bias)  # noqa: E731
        self.w_q, self.w_k, self.w_v, self.w_o = make(), make(), make(), make()
        self.h, self.d = n_heads, nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        o, w = attention(*(split_heads(t, self.h) for t in (q, k, v)), mask, self.d)
        return self.w_o(merge_heads(o)), w if need_weights else None


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = (
            nn.Parameter(torch.ones(d_model)),
            nn.Parameter(torch.zeros(d_model)),
        )

    def forward(self, x):
        return (c := x - x.mean(-1, True)) * (
            (c * c).mean(-1, True) + self.eps
        ) ** -0.5 * self.weight + self.bias


class ResidualConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.n, self.d, self.pre = LayerNorm(d_model), nn.Dropout(dropout), norm_first

    enter = lambda self, x: self.n(x) if self.pre else x  # noqa: E731
    leave = lambda self, x, y: x + self.d(y) if self.pre else self.n(self.d(y) + x)  # noqa: E731


def to_torch_mask(mask, n_heads):
    if mask.ndim not in {2, 4}:
        raise ValueError(mask.shape)
    return ~mask if mask.ndim == 2 else ~torch.cat([m.expand(n_heads, *m.shape[1:]) for m in mask])


def copy_from_torch(ours, theirs):
    t = dict(theirs.named_parameters())
    if ("in_proj_bias" in t) != any("bias" in n for n, _ in ours.named_parameters()):
        raise ValueError(sorted(t))
    for k in ("weight", "bias")[: len(t) // 2]:
        for n, v in zip("qkvo", (*t["in_proj_" + k].chunk(3), t["out_proj." + k]), strict=True):
            getattr(getattr(ours, "w_" + n), k).data.copy_(v)


def gradient_norms(module, *inputs):
    y = module(*inputs)
    ps = {n: p for n, p in module.named_parameters() if p.requires_grad}
    gs = torch.autograd.grad(
        _probe_loss(y[0] if type(y) is tuple else y), ps.values(), allow_unused=True
    )
    return {n: 0 if g is None else g.norm().item() for n, g in zip(ps, gs, strict=True)}


def head_diversity(weights, mask=None):
    if (h := weights.shape[-3]) < 2:
        raise ValueError(h)
    H = lambda p: torch.special.entr(p).sum(-1)  # noqa: E731
    d = [
        H((a + b) / 2) - (H(a) + H(b)) / 2
        for i, a in enumerate(weights.unbind(-3))
        for b in weights.unbind(-3)[:i]
    ]
    each = (torch.ones_like(weights) if mask is None else mask.expand_as(weights)).any(-1)
    rows = torch.stack([a & b for i, a in enumerate(each.unbind(-2)) for b in each.unbind(-2)[:i]])
    if not rows.any():
        raise ValueError(rows)
    return (torch.stack(d)[rows].mean() / torch.tensor(2.0).log()).item()

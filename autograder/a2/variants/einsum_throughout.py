"""Style: einsum throughout, −∞ for masked keys, rows without keys multiplied by 0."""

import torch
from torch import nn


def attention(query, key, value, mask=None, dropout=None):
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError(f"{query.shape}, {key.shape} and {value.shape} do not fit")
    scores = torch.einsum("...id,...jd->...ij", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        alive = mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~(mask | ~alive), float("-inf"))
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * alive
    mixed = weights if dropout is None else dropout(weights)
    return torch.einsum("...ij,...jd->...id", mixed, value), weights


def split_heads(x, n_heads):
    if x.size(-1) % n_heads != 0:
        raise ValueError(f"the number of features, {x.size(-1)}, is no multiple of {n_heads}")
    return torch.einsum("bnhd->bhnd", x.unflatten(-1, (n_heads, -1)))


def merge_heads(x):
    return torch.einsum("bhnd->bnhd", x).flatten(start_dim=2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} must be a multiple of n_heads={n_heads}")
        self.h, self.d_k = n_heads, d_model // n_heads
        self.w_q = nn.Linear(d_model, d_model, bias)
        self.w_k = nn.Linear(d_model, d_model, bias)
        self.w_v = nn.Linear(d_model, d_model, bias)
        self.w_o = nn.Linear(d_model, d_model, bias)
        self.drop = nn.Dropout(p=dropout)

    def project(self, layer, x):
        weight = layer.weight.view(self.h, self.d_k, -1)
        y = torch.einsum("bnm,hdm->bhnd", x, weight)
        return y if layer.bias is None else y + layer.bias.view(self.h, 1, self.d_k)

    def forward(self, query, key, value, mask=None, need_weights=False):
        q = self.project(self.w_q, query)
        k = self.project(self.w_k, key)
        v = self.project(self.w_v, value)
        heads, weights = attention(q, k, v, mask=mask, dropout=self.drop)
        out = torch.einsum("bhnd,mhd->bnm", heads, self.w_o.weight.view(-1, self.h, self.d_k))
        if self.w_o.bias is not None:
            out = out + self.w_o.bias
        return (out, weights) if need_weights else (out, None)


def to_torch_mask(mask, n_heads):
    if mask.dim() not in (2, 4):
        raise ValueError("only masks of 2 or 4 dimensions")
    blocked = mask.logical_not()
    if mask.dim() == 2:
        return blocked
    return blocked.expand(-1, n_heads, -1, -1).flatten(0, 1)


def copy_from_torch(ours, theirs):
    given = {name.replace("out_proj", "w_o"): p for name, p in theirs.state_dict().items()}
    state = {}
    for kind in ("weight", "bias"):
        packed = given.pop(f"in_proj_{kind}", None)
        if packed is not None:
            blocks = torch.einsum("i...->i...", packed).tensor_split(3)
            state.update({f"w_{n}.{kind}": b for n, b in zip("qkv", blocks, strict=True)})
    state.update(given)
    if set(state) != set(ours.state_dict()):
        raise ValueError(f"torch's module gives {sorted(state)}: build both with the same bias")
    ours.load_state_dict(state)


def head_diversity(weights, mask=None):
    h = weights.shape[-3]
    if h < 2:
        raise ValueError("at least two heads")
    p, q = weights[..., :, None, :, :], weights[..., None, :, :, :]
    m = (p + q) / 2

    def kl(a):
        ratio = torch.where(a > 0, a / m.clamp(min=1e-30), torch.ones_like(a))
        return torch.einsum("...k,...k->...", a.expand_as(ratio), ratio.log2())

    each = 0.5 * kl(p) + 0.5 * kl(q)
    off = ~torch.eye(h, dtype=torch.bool)
    each = each.movedim((-3, -2), (0, 1))[off]
    if mask is None:
        return each.mean().item()
    rows = mask.broadcast_to(weights.shape).any(-1)
    rows = (rows[..., :, None, :] & rows[..., None, :, :]).movedim((-3, -2), (0, 1))[off]
    if not bool(rows.any()):
        raise ValueError("every row is masked")
    return each[rows].mean().item()

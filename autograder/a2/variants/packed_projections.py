"""Style: one packed projection of query, key and value at run time; functional calls."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def attention(query: Tensor, key: Tensor, value: Tensor, mask=None, dropout=None):
    d_k = query.size(-1)
    if key.size(-1) != d_k:
        raise ValueError(f"query is {tuple(query.shape)}, but key is {tuple(key.shape)}")
    if value.size(-2) != key.size(-2):
        raise ValueError(f"key is {tuple(key.shape)}, but value is {tuple(value.shape)}")
    scores = torch.matmul(query * d_k**-0.5, key.mT)
    if mask is None:
        weights = scores.softmax(-1)
    else:
        # masking after the exponential and renormalizing equals masking before it
        largest = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
        exponentials = (scores - largest.detach()).clamp(max=0).exp() * mask
        weights = exponentials / exponentials.sum(-1, keepdim=True).clamp_min(1e-30)
    return (dropout(weights) if dropout else weights).matmul(value), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads do not divide {d_model}")
        super().__init__()
        layers = {f"w_{name}": nn.Linear(d_model, d_model, bias=bias) for name in "qkvo"}
        for name, layer in layers.items():
            nn.init.xavier_uniform_(layer.weight)
            setattr(self, name, layer)
        self.d_model, self.n_heads, self.dropout = d_model, n_heads, dropout

    def packed(self):
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in layers])
        return weight, bias

    def forward(self, query, key, value, mask=None, need_weights=False):
        weight, bias = self.packed()
        lengths = [x.shape[1] for x in (query, key, value)]
        everything = F.linear(torch.cat([query, key, value], dim=1), weight, bias)
        parts = everything.split(lengths, dim=1)
        q, k, v = (
            part.chunk(3, dim=-1)[i].unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for i, part in enumerate(parts)
        )
        drop = (lambda w: F.dropout(w, self.dropout)) if self.training else None
        heads, weights = attention(q, k, v, mask, drop)
        output = self.w_o(heads.transpose(1, 2).flatten(-2))
        return output, (weights if need_weights else None)


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        for name, start in (("weight", torch.ones), ("bias", torch.zeros)):
            self.register_parameter(name, nn.Parameter(start(d_model)))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return torch.addcmul(self.bias, (x - mean) * torch.rsqrt(var + self.eps), self.weight)


class ResidualConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.p = dropout
        self.before = LayerNorm(d_model) if norm_first else nn.Identity()
        self.after = nn.Identity() if norm_first else LayerNorm(d_model)

    def enter(self, x):
        return self.before(x)

    def leave(self, x, y):
        return self.after(x + F.dropout(y, self.p, training=self.training))


def parameter_counts(d_model, n_heads, bias=True):
    return 4 * d_model**2, 4 * d_model * bias


def to_torch_mask(mask, n_heads):
    match mask.shape:
        case (_, _):
            return torch.logical_not(mask)
        case (batch, heads, n_q, n_k):
            repeated = mask.repeat_interleave(n_heads // heads, dim=1)
            return torch.logical_not(repeated).view(batch * n_heads, n_q, n_k)
    raise ValueError(f"a mask of {mask.dim()} dimensions")


def copy_from_torch(ours, theirs):
    packed = theirs.in_proj_bias
    if (packed is None) is not (ours.w_o.bias is None):
        raise ValueError("biases on one side only")
    with torch.no_grad():
        sources = (
            *theirs.in_proj_weight.split(len(theirs.out_proj.weight)),
            theirs.out_proj.weight,
        )
        for name, source in zip("qkvo", sources, strict=True):
            getattr(ours, f"w_{name}").weight.copy_(source)
        if packed is not None:
            biases = (*packed.split(len(theirs.out_proj.weight)), theirs.out_proj.bias)
            for name, source in zip("qkvo", biases, strict=True):
                getattr(ours, f"w_{name}").bias.copy_(source)


def gradient_norms(module, *inputs):
    with torch.enable_grad():
        out = module(*inputs)
        loss = _probe_loss(out[0] if isinstance(out, (tuple, list)) else out)
    norms = {}
    for name, p in module.named_parameters():
        if p.requires_grad:
            (g,) = torch.autograd.grad(loss, p, retain_graph=True, allow_unused=True)
            norms[name] = 0.0 if g is None else g.square().sum().sqrt().item()
    return norms

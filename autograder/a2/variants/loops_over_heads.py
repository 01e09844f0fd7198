"""Style: plain loops over heads, tokens and pairs; slices instead of reshapes; slow but correct."""

import math

import numpy as np
import torch
from matplotlib import pyplot as plt
from torch import nn
from torch.nn import functional as F


def attention(query, key, value, mask=None, dropout=None):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"d_k differs: {list(query.shape)} against {list(key.shape)}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"n_k differs: {list(key.shape)} against {list(value.shape)}")
    rows = []
    for i in range(query.shape[-2]):
        one = (query[..., i : i + 1, :] * key).sum(-1) / math.sqrt(query.shape[-1])
        if mask is not None:
            # the row of every leading index, one query at a time
            full = torch.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))
            one = torch.where(full[..., i, :], one, torch.tensor(-1e9, dtype=one.dtype))
            rows.append(torch.softmax(one, -1) * full[..., i, :])
        else:
            rows.append(torch.softmax(one, -1))
    weights = torch.stack(rows, dim=-2)
    used = weights
    if dropout is not None:
        used = dropout(weights)
    return used @ value, weights


def split_heads(x, n_heads):
    d_k, rest = divmod(x.shape[-1], n_heads)
    if rest:
        raise ValueError(f"{x.shape[-1]} features, {n_heads} heads: {rest} left over")
    heads = []
    for i in range(n_heads):
        heads.append(x[:, :, i * d_k : (i + 1) * d_k])
    return torch.stack(heads, 1)


def merge_heads(x):
    joined = x[:, 0]
    for i in range(1, x.shape[1]):
        joined = torch.cat((joined, x[:, i]), dim=2)
    return joined


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        super().__init__()
        if d_model / n_heads != d_model // n_heads:
            raise ValueError(str(d_model) + " / " + str(n_heads) + " is no whole number")
        self.n_heads = n_heads
        self.p = dropout
        for name in ("w_q", "w_k", "w_v", "w_o"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=bias))

    def forward(self, query, key, value, mask=None, need_weights=False):
        outputs, maps = [], []
        d_k = query.shape[-1] // self.n_heads
        for h in range(self.n_heads):
            part = slice(h * d_k, (h + 1) * d_k)
            q, k, v = (
                self.w_q(query)[..., part],
                self.w_k(key)[..., part],
                self.w_v(value)[..., part],
            )
            scores = torch.bmm(q, k.transpose(1, 2)) / d_k**0.5
            if mask is not None:
                own = mask
                if mask.dim() == 4:
                    own = mask[:, h if mask.shape[1] > 1 else 0]
                own = own.expand_as(scores)
                scores = scores.masked_fill(own == 0, torch.finfo(scores.dtype).min)
            weights = F.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights * own
            maps.append(weights)
            outputs.append(torch.bmm(F.dropout(weights, self.p, self.training), v))
        out = self.w_o(torch.cat(outputs, dim=-1))
        if not need_weights:
            return out, None
        return out, torch.stack(maps, dim=1)


def to_torch_mask(mask, n_heads):
    if len(mask.shape) == 2:
        return mask == False  # noqa: E712
    if len(mask.shape) != 4:
        raise ValueError("two or four dimensions, please")
    slices = []
    for example in mask:
        for h in range(n_heads):
            slices.append(~example[h if len(example) > 1 else 0])
    return torch.stack(slices)


def copy_from_torch(ours, theirs):
    ours_has, theirs_has = ours.w_q.bias is not None, theirs.in_proj_bias is not None
    if ours_has != theirs_has:
        raise ValueError("bias here, none there")
    d = theirs.embed_dim
    for i, layer in enumerate([ours.w_q, ours.w_k, ours.w_v]):
        layer.weight.data[:] = theirs.in_proj_weight.data[i * d : (i + 1) * d]
        if ours_has:
            layer.bias.data[:] = theirs.in_proj_bias.data[i * d : (i + 1) * d]
    ours.w_o.weight.data[:] = theirs.out_proj.weight.data
    if ours_has:
        ours.w_o.bias.data[:] = theirs.out_proj.bias.data


def parameter_counts(d_model, n_heads, bias=True):
    weights = biases = 0
    for _ in range(n_heads):
        for _matrix in ("q", "k", "v"):
            weights += d_model * (d_model // n_heads)
            biases += d_model // n_heads
    weights += d_model * d_model
    biases += d_model
    if not bias:
        biases = 0
    return weights, biases


def head_diversity(weights, mask=None):
    n_heads = weights.shape[-3]
    if n_heads == 1:
        raise ValueError("one head only")
    maps = weights.reshape(-1, *weights.shape[-3:]).double().numpy()
    allowed = np.ones(maps.shape, dtype=bool)
    if mask is not None:
        allowed = mask.expand(weights.shape).reshape(maps.shape).numpy()
    values = []
    for b in range(maps.shape[0]):
        for i in range(n_heads):
            for j in range(i + 1, n_heads):
                for row in range(maps.shape[2]):
                    if allowed[b, i, row].any() and allowed[b, j, row].any():
                        values.append(divergence(maps[b, i, row], maps[b, j, row]))
    if not values:
        raise ValueError("no row to compare")
    return float(np.mean(values))


def divergence(p, q):
    total = 0.0
    for a, b in zip(p, q, strict=True):
        m = (a + b) / 2
        if a > 0:
            total += a * math.log2(a / m) / 2
        if b > 0:
            total += b * math.log2(b / m) / 2
    return total


def plot_heads(weights, tokens):
    weights = np.array(weights)
    if weights[0].shape != (len(tokens), len(tokens)):
        raise ValueError("as many rows and columns as tokens")
    found = []
    fig = plt.figure(figsize=(4 * len(weights), 4))
    for h in range(len(weights)):
        ax = fig.add_subplot(1, len(weights), h + 1)
        ax.pcolormesh(weights[h], cmap="cividis", vmin=0.0, vmax=1.0)
        ax.set_xticks(np.arange(len(tokens)) + 0.5)
        ax.set_xticklabels(tokens)
        ax.set_yticks(np.arange(len(tokens)) + 0.5)
        ax.set_yticklabels(tokens)
        ax.set_xlabel("keys")
        ax.set_ylabel("queries")
        ax.set_title("Head " + str(h))
        ax.invert_yaxis()
        found.append(ax)
    return found

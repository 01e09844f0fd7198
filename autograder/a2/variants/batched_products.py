"""Style: bmm on flattened batches, indices in place of reshapes; functions defined twice."""

import math

import matplotlib.pyplot as plt
import torch
from torch import nn


def attention(query, key, value, mask=None, dropout=None):
    """A first attempt, overridden by the definition below."""
    return query, key


def attention(query, key, value, mask=None, dropout=None):  # noqa: F811
    if query.size(-1) != key.size(-1):
        raise ValueError(f"Got {query.size()} and {key.size()}")
    if key.size(-2) != value.size(-2):
        raise ValueError(f"Got {key.size()} and {value.size()}")
    lead, n_q, n_k = query.shape[:-2], query.shape[-2], key.shape[-2]
    q = query.reshape(-1, n_q, query.shape[-1])
    k, v = key.reshape(-1, n_k, key.shape[-1]), value.reshape(-1, n_k, value.shape[-1])
    scores = torch.bmm(q, k.permute(0, 2, 1)).reshape(*lead, n_q, n_k).div(math.sqrt(q.shape[-1]))
    weights = torch.nn.Softmax(dim=-1)(scores)
    if mask is not None:
        shared = weights * mask  # after the softmax, but renormalized
        total = shared.sum(dim=-1, keepdim=True)
        weights = shared / torch.where(total == 0, torch.ones_like(total), total)
    w = (weights if dropout is None else dropout(weights)).reshape(-1, n_q, n_k)
    return torch.bmm(w, v).reshape(*lead, n_q, -1), weights


def split_heads(x, n_heads):
    b, n, d = x.shape
    if d // n_heads * n_heads != d:
        raise ValueError(f"{d} by {n_heads}: no")
    order = torch.arange(d).view(n_heads, 1, d // n_heads).expand(n_heads, n, -1)
    rows = torch.arange(n).view(1, n, 1)
    return x[:, rows, order]


def merge_heads(x):
    out = x.new_empty(x.size(0), x.size(2), x.size(1) * x.size(3))
    d_k = x.size(3)
    for i in range(x.size(1)):
        out[..., d_k * i : d_k * (i + 1)] = x[:, i]
    return out


def to_torch_mask(mask, n_heads):
    if mask.dim() == 2:
        return mask ^ True
    if mask.dim() == 4:
        full = torch.zeros(mask.size(0), n_heads, *mask.shape[2:], dtype=torch.bool) | mask
        return full.logical_not().flatten(end_dim=1)
    raise ValueError("dimension")


def copy_from_torch(ours, theirs):
    own, given = ours.state_dict(), theirs.state_dict()
    if len(own) != 2 * len(given):
        raise ValueError(f"{len(own)} tensors against {len(given)}")
    d = own["w_o.weight"].shape[0]
    for name, target in own.items():
        letter, kind = name[2], name.split(".")[1]
        if letter == "o":
            target.copy_(given["out_proj." + kind])
        else:
            start = "qkv".index(letter) * d
            target.copy_(given["in_proj_" + kind].narrow(0, start, d))


class ResidualConnection(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = bool(norm_first)

    def enter(self, x):
        if self.norm_first is True:
            x = self.norm(x)
        return x

    def leave(self, x, y):
        y = self.dropout(y)
        x = torch.add(x, y)
        if self.norm_first is False:
            x = self.norm(x)
        return x


def parameter_counts(d_model, n_heads, bias=True):
    w_q = w_k = w_v = n_heads * d_model * (d_model // n_heads)
    w_o = d_model * d_model
    weights = w_q + w_k + w_v + w_o
    if bias is True:
        return weights, d_model + d_model + d_model + d_model
    return weights, 0


def plot_heads(weights, tokens):
    if hasattr(weights, "detach"):
        weights = weights.detach().numpy()
    if weights.shape != (weights.shape[0], len(tokens), len(tokens)):
        raise ValueError("shape " + str(weights.shape))
    mosaic = [[str(i) for i in range(len(weights))]]
    figure, axes = plt.subplot_mosaic(mosaic)
    for name, ax in axes.items():
        image = ax.imshow(weights[int(name)], norm=plt.Normalize(0, 1))
        ax.set_xticks(range(len(tokens)), tokens, rotation="vertical")
        ax.set_yticks(range(len(tokens)), tokens)
        ax.set_title("Head " + name)
        ax.set_xlabel("Keys (attended to)")
        ax.set_ylabel("Queries")
    figure.colorbar(image, ax=list(axes.values()))
    figure.suptitle("All heads")
    return list(axes.values())


def compare_heads(n_heads_list, seeds, d_model=32, steps=100, n_train=1024, n_validation=512):
    """Collects columns first, rows afterwards."""
    columns = {"n_heads": [], "seed": [], "parameters": [], "validation_accuracy": []}
    state = torch.random.get_rng_state()
    try:
        for n_heads in n_heads_list:
            for seed in seeds:
                torch.manual_seed(seed)
                reader = PointerReader(MultiHeadAttention(d_model, n_heads, 0.0), d_model)
                generator = torch.Generator().manual_seed(seed)
                train(reader, draw_examples(n_train, generator), steps, generator)
                score = accuracy(reader, draw_examples(n_validation, generator))
                columns["n_heads"].append(n_heads)
                columns["seed"].append(seed)
                columns["parameters"].append(sum(p.numel() for p in reader.parameters()))
                columns["validation_accuracy"].append(score)
    finally:
        torch.random.set_rng_state(state)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

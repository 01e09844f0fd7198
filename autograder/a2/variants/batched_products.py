"""Style: bmm on flattened batches, indices in place of reshapes, writes into state dicts."""

import math

import torch


def attention(query, key, value, mask=None, dropout=None):
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

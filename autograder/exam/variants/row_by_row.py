"""Task 3 one query at a time into an empty tensor; the heads of task 1 as slices."""

import torch


def split_heads(x, n_heads):
    if x.shape[2] % n_heads != 0:
        raise ValueError(f"{x.shape[2]} is not a multiple of {n_heads}")
    return torch.stack(torch.chunk(x, n_heads, dim=2), dim=1)


def merge_heads(x):
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=2)


def long_attention(query, key, value, mask=None, block=64):
    result = query.new_empty(query.shape[0], query.shape[1], value.shape[2])
    for n in range(query.shape[1]):
        scores = (key @ query[:, n, :, None]).squeeze(-1) / query.shape[2] ** 0.5
        if mask is not None:
            scores[:, ~mask[n]] = float("-inf")
        result[:, n] = (torch.softmax(scores, dim=-1)[:, None] @ value).squeeze(1)
    return result

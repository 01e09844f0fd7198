"""Style: einsum and one-hot tensors; caches padded and filled."""

import math

import numpy as np
import torch
from torch import nn


def length_penalty_factor(length, alpha):
    return np.power((5 + length) / 6, alpha).item()


def word_weights(weights, target_words, source_words):
    if (len(target_words), len(source_words)) != tuple(weights.shape[-2:]):
        raise ValueError(
            f"{len(target_words)} and {len(source_words)} for shape {tuple(weights.shape)}"
        )
    target = np.equal.outer(np.arange(max(target_words) + 1), target_words) * 1.0
    source = np.equal.outer(np.arange(max(source_words) + 1), source_words) * 1.0
    total = np.einsum("hij,ti,sj->ts", weights, target, source)
    return total / len(weights) / target.sum(1)[:, None]


def alignment_links(weights, share=0.5):
    relative = weights / np.maximum(weights.max(axis=1), 1e-300)[:, None]
    chosen = np.argwhere((relative >= share - 1e-12) & (weights.max(1)[:, None] > 0))
    return {(int(source), int(target)) for target, source in chosen}


def attend_once(module, x, keys, values, mask):
    """Attention to projected keys and values, head by head in one sum."""
    queries = module.w_q(x).unflatten(-1, (module.n_heads, -1))
    scores = torch.einsum("bqhd,bhkd->bhqk", queries, keys) / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    weights = weights.masked_fill(~mask, 0.0)
    return module.w_o(torch.einsum("bhqk,bhkd->bqhd", weights, values).flatten(2))


def cached_layer(layer, x, cache, mask, source_mask):
    own, cross, grown = layer.self_attention, layer.cross_attention, {}

    def before(y):
        for name, projection in (("keys", own.w_k), ("values", own.w_v)):
            new = projection(y).unflatten(-1, (own.n_heads, -1)).transpose(1, 2)
            old = getattr(cache, name)
            grown[name] = nn.functional.pad(old, (0, 0, 0, new.shape[2]))
            grown[name][:, :, old.shape[2] :] = new
        return attend_once(own, y, grown["keys"], grown["values"], mask)

    x = layer.self_attention_residual.leave(x, before(layer.self_attention_residual.enter(x)))
    y = layer.cross_attention_residual.enter(x)
    y = attend_once(cross, y, cache.source_keys, cache.source_values, source_mask)
    x = layer.cross_attention_residual.leave(x, y)
    y = layer.feed_forward(layer.feed_forward_residual.enter(x))
    x = layer.feed_forward_residual.leave(x, y)
    return x, LayerCache(**grown, source_keys=cache.source_keys, source_values=cache.source_values)

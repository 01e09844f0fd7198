"""The state of a search between steps: the encoder's output alone, or a key-value cache.

Without a cache, every step recomputes the keys and values of all earlier tokens, although no later
token can change them. The cache stores them layer by layer, together with the keys and values of
the source, so that a step processes one token. Both give the same probabilities to 1e-5.
`fast.cached_decoder` is the fast equivalent of the cache.

Paper statement R27 (lectures/paper_audit.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..attention import MultiHeadAttention, attention, merge_heads, split_heads
from ..decoder import DecoderLayer
from ..masks import target_mask
from ..transformer import Transformer


@dataclass(frozen=True)
class Encoded:
    """The state of an uncached search: the encoder's output, one row per prefix."""

    memory: Float[Tensor, "rows n_source d_model"]
    source_mask: Bool[Tensor, "rows 1 1 n_source"]

    def reorder(self, rows: Int[Tensor, "new_rows"]) -> "Encoded":
        """The state whose row i is this one's row `rows[i]`."""
        return Encoded(self.memory[rows], self.source_mask[rows])


@torch.no_grad()
def encoded(model: Transformer, source_ids: Int[Tensor, "rows n_source"]) -> Encoded:
    """The state that an uncached search starts with."""
    return Encoded(*model.encode(source_ids))


def uncached_step(
    model: Transformer,
) -> Callable[[Tensor, Encoded], tuple[Tensor, Encoded]]:
    """The `step` of a search that reads the whole prefixes each time.

    `step(prefixes, state)` gives `(log_probabilities, state)`; the first is (rows, vocab_size).
    """

    @torch.no_grad()
    def step(prefixes: Tensor, state: Encoded) -> tuple[Tensor, Encoded]:
        logits, _ = model.decode(prefixes, state.memory, state.source_mask)
        return torch.log_softmax(logits[:, -1], dim=-1), state

    return step


@dataclass(frozen=True)
class LayerCache:
    """Keys and values of one decoder layer: of the target prefix and of the source."""

    keys: Float[Tensor, "rows n_heads n d_k"]
    values: Float[Tensor, "rows n_heads n d_k"]
    source_keys: Float[Tensor, "rows n_heads n_source d_k"]
    source_values: Float[Tensor, "rows n_heads n_source d_k"]

    def reorder(self, rows: Int[Tensor, "new_rows"]) -> "LayerCache":
        """The cache whose row i is this one's row `rows[i]`."""
        return LayerCache(
            self.keys[rows], self.values[rows], self.source_keys[rows], self.source_values[rows]
        )


@dataclass(frozen=True)
class Cache:
    """The caches of all layers of a decoder."""

    layers: list[LayerCache]
    source_mask: Bool[Tensor, "rows 1 1 n_source"]

    def reorder(self, rows: Int[Tensor, "new_rows"]) -> "Cache":
        """The cache whose row i is this one's row `rows[i]`.

        A beam that continues another beam's prefix needs that beam's keys and values.
        """
        return Cache([layer.reorder(rows) for layer in self.layers], self.source_mask[rows])


@torch.no_grad()
def start_cache(model: Transformer, source_ids: Int[Tensor, "rows n_source"]) -> Cache:
    """The cache before the first token: keys and values of the source, none of the target."""
    memory, source_mask = model.encode(source_ids)
    layers = []
    layer: Any
    for layer in model.decoder.layers:
        cross = layer.cross_attention
        # §3.2.3 — "the memory keys and values come from the output of the encoder"
        keys = split_heads(cross.w_k(memory), cross.n_heads)
        values = split_heads(cross.w_v(memory), cross.n_heads)
        empty = keys[:, :, :0]
        layers.append(LayerCache(empty, empty, keys, values))
    return Cache(layers, source_mask)


def attend(
    module: MultiHeadAttention,
    x: Float[Tensor, "rows n_new d_model"],
    keys: Float[Tensor, "rows n_heads n d_k"],
    values: Float[Tensor, "rows n_heads n d_k"],
    mask: Bool[Tensor, "rows 1 #n_new n"],
) -> Float[Tensor, "rows n_new d_model"]:
    """Multi-head attention (§3.2.2) to keys and values that are already projected."""
    queries = split_heads(module.w_q(x), module.n_heads)
    heads, _ = attention(queries, keys, values, mask)
    return module.w_o(merge_heads(heads))


def cached_layer(
    layer: DecoderLayer,
    x: Float[Tensor, "rows n_new d_model"],
    cache: LayerCache,
    mask: Bool[Tensor, "rows 1 n_new n"],
    source_mask: Bool[Tensor, "rows 1 1 n_source"],
) -> tuple[Float[Tensor, "rows n_new d_model"], LayerCache]:
    """`(output, cache)`: the layer's output for the new tokens only, and the extended cache."""
    own, cross = layer.self_attention, layer.cross_attention
    y = layer.self_attention_residual.enter(x)
    keys = torch.cat([cache.keys, split_heads(own.w_k(y), own.n_heads)], dim=2)
    values = torch.cat([cache.values, split_heads(own.w_v(y), own.n_heads)], dim=2)
    x = layer.self_attention_residual.leave(x, attend(own, y, keys, values, mask))
    y = layer.cross_attention_residual.enter(x)
    y = attend(cross, y, cache.source_keys, cache.source_values, source_mask)
    x = layer.cross_attention_residual.leave(x, y)
    y = layer.feed_forward(layer.feed_forward_residual.enter(x))
    x = layer.feed_forward_residual.leave(x, y)
    return x, LayerCache(keys, values, cache.source_keys, cache.source_values)


def cached_step(model: Transformer) -> Callable[[Tensor, Cache], tuple[Tensor, Cache]]:
    """The `step` of a search that reads only the tokens that are not in the cache yet.

    Raises ValueError when all of them are.
    """

    @torch.no_grad()
    def step(prefixes: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        known = cache.layers[0].keys.shape[2]
        if prefixes.shape[1] <= known:
            raise ValueError(
                f"prefixes of {prefixes.shape[1]} tokens, but the cache already holds {known}: "
                "give prefixes that have grown since the last step"
            )
        # A new token's position counts from the start of its sentence, not from the cache's end.
        x = model.embedding(prefixes)[:, known:]
        mask = target_mask(prefixes, model.pad_id)[:, :, known:]
        layers = []
        layer: Any
        for layer, remembered in zip(model.decoder.layers, cache.layers, strict=True):
            x, grown = cached_layer(layer, x, remembered, mask, cache.source_mask)
            layers.append(grown)
        logits = model.logits(model.decoder.norm(x[:, -1]))
        return torch.log_softmax(logits, dim=-1), Cache(layers, cache.source_mask)

    return step
